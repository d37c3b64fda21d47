-- The extension for codecompanion, in the real plugin with a model that never answers.
-- needs: nvim12
-- needs: plugin plenary.nvim-v0.1.4
-- needs: plugin codecompanion.nvim-v19.22.0
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')

local bufnr = t.edit('shop/cart.go', ') Total')
t.ready()

local codecompanion = require('codecompanion')

---Sets codecompanion up with the extension.
---@param opts table of the extension
local function setup(opts)
  codecompanion.setup({
    extensions = { ambit = { opts = opts } },
    interactions = { chat = { tools = { opts = { auto_submit_success = false, auto_submit_errors = false } } } },
    adapters = {
      http = {
        model = {
          name = 'model',
          formatted_name = 'Model',
          url = 'http://localhost/v1/chat/completions',
          roles = { llm = 'assistant', user = 'user' },
          opts = { tools = true },
          headers = {},
          parameters = {},
          schema = { model = { default = 'model' } },
          handlers = {
            tools = {
              format_tool_calls = function(_, tools)
                return tools
              end,
              output_response = function(_, call, output)
                return { role = 'tool', tools = { call_id = call.id }, content = output, opts = { visible = false } }
              end,
            },
          },
        },
      },
    },
  })
end

---Returns a chat that was opened from the buffer of the code.
local function new_chat()
  return require('codecompanion.interactions.chat').new({
    adapter = 'model',
    buffer_context = { bufnr = bufnr, filetype = 'go' },
  })
end

---Returns the content of the last message of a chat.
local function last(chat)
  return chat.messages[#chat.messages].content
end

---Has the model call the tool, and waits until the chat has its output.
local function call_tool(chat, arguments)
  local before = #chat.messages
  local call = { id = 'call' .. before, type = 'function', ['function'] = { name = 'ambit', arguments = vim.json.encode(arguments) } }
  chat.tools:execute(chat, { call })
  t.wait('the output of the tool', function()
    return #chat.messages > before
  end)
  return last(chat)
end

t.test('#{ambit} adds the context of the cursor', function()
  setup({})
  local chat = new_chat()
  local context = require('codecompanion.interactions.shared.editor_context').new('chat')
  t.eq(true, context:parse(chat, { content = 'what is wrong in #{ambit}?' }))
  t.has('identifier="Cart.Total"', last(chat))
  t.eq('what is wrong in ambit?', context:replace('what is wrong in #{ambit}?', bufnr))
  -- Its prompt for the command line takes text only from contexts that are made for it.
  t.eq(nil, require('codecompanion.interactions.shared.editor_context').new('cli').editor_context.ambit)
  chat:close()
end)

t.test('/ambit adds the context of the cursor', function()
  local chat = new_chat()
  local config = require('codecompanion.config').interactions.chat.slash_commands.ambit
  require('codecompanion.interactions.chat.slash_commands').run({ label = 'ambit', config = config }, chat)
  t.has('identifier="Cart.Total"', last(chat))
  t.eq('<ambit>cursor</ambit>', chat.context_items[#chat.context_items].id)
  chat:close()
end)

t.test('@{ambit} is a tool that the model calls', function()
  local chat = new_chat()
  chat.tool_registry:add('ambit')
  local schema = vim.tbl_values(chat.tool_registry.schemas)[1]
  t.eq('ambit', schema['function'].name)
  t.has('sum += priceOf', call_tool(chat, { query = 'how are prices summed up?', budget = 900 }))
  t.has('query="priceOf"', call_tool(chat, { path = 'item.go', line = 7 }))
  t.has('no file nowhere.go', call_tool(chat, { path = 'nowhere.go', line = 7 }))
  t.has('give a symbol', call_tool(chat, {}))
end)

t.test('other extensions get the context as text', function()
  t.has('identifier="Cart.Total"', codecompanion.extensions.ambit.context(bufnr))
end)

t.test('each part can be left out', function()
  setup({ tool = false, editor_context = false, slash_command = false })
  local config = require('codecompanion.config').interactions
  t.eq(nil, config.shared.editor_context.ambit)
  t.eq(nil, config.chat.slash_commands.ambit)
  t.eq(nil, config.chat.tools.ambit)
end)

t.done()
