-- ambit in codecompanion.nvim: #{ambit} and /ambit add the context of the cursor, @{ambit}
-- is a tool for the model.
--
--     require('codecompanion').setup({ extensions = { ambit = {} } })

local tool = require('ambit.adapters.tool')

---@param meta table has the chat, at a place that depends on the version
local function chat_of(meta)
  return (meta.tools or meta).chat
end

---@return table # a tool of codecompanion
local function tool_of()
  return {
    name = tool.name,
    cmds = {
      -- The function returns nothing, so it is asynchronous. The answer goes to a callback:
      -- the fourth argument, or opts.output_cb in older versions.
      function(_, args, opts, output_handler)
        local answer = output_handler or opts.output_cb
        tool.call(args or {}, nil, function(err, text)
          answer(err and { status = 'error', data = err } or { status = 'success', data = text })
        end)
      end,
    },
    schema = {
      type = 'function',
      ['function'] = { name = tool.name, description = tool.description, parameters = tool.schema() },
    },
    output = {
      -- (self, stdout, meta); (self, tools, cmd, stdout) in older versions.
      success = function(self, stdout, meta, old)
        local text = vim.iter(old or stdout):flatten():join('\n')
        chat_of(old and stdout or meta):add_tool_output(self, text, 'ambit: context')
      end,
      error = function(self, stderr, meta, old)
        local text = vim.iter(old or stderr):flatten():join('\n')
        chat_of(old and stderr or meta):add_tool_output(self, text)
      end,
    },
  }
end

---Returns the buffer from which the user opened a chat.
---@param chat table
---@return integer?
local function code_of(chat)
  local context = chat.buffer_context or chat.context
  local bufnr = type(context) == 'table' and context.bufnr
  return bufnr and vim.api.nvim_buf_is_valid(bufnr) and bufnr or nil
end

return {
  ---@param opts {tool: boolean?, slash_command: boolean?, variable: boolean?}? false leaves a part out
  setup = function(opts)
    opts = opts or {}
    local config = require('codecompanion.config')
    local chat = (config.interactions or config.strategies).chat
    local variables = chat.editor_context or chat.variables
    if opts.variable ~= false then
      variables.ambit = {
        description = 'The context of the symbol under the cursor',
        callback = function(self)
          return tool.at_cursor(code_of(self.Chat))
        end,
        opts = { contains_code = true },
      }
    end
    if opts.slash_command ~= false then
      chat.slash_commands.ambit = {
        description = 'Add the context of the symbol under the cursor',
        callback = function(this)
          this:add_message({ role = config.constants.USER_ROLE, content = tool.at_cursor(code_of(this)) }, {
            context = { id = '<ambit>cursor</ambit>' },
            visible = false,
          })
          this.context:add({ id = '<ambit>cursor</ambit>', source = 'codecompanion._extensions.ambit' })
        end,
        opts = { contains_code = true },
      }
    end
    if opts.tool ~= false then
      chat.tools.ambit = { description = tool.description, callback = tool_of() }
    end
  end,
  exports = { context = tool.at_cursor },
}
