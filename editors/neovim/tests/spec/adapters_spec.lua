-- The adapters for codecompanion, CopilotChat and avante. The plugins need a model and are
-- not installed: for each there is a stand-in for the part of its interface that takes an
-- adapter. It calls the adapter as the current version and the one before do.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')

local bufnr = t.edit('shop/cart.go', ') Total')
t.ready()

---Returns a chat of codecompanion.
local function new_chat()
  local chat = { messages = {}, items = {}, outputs = {}, bufnr = 99, buffer_context = { bufnr = bufnr } }
  function chat:add_message(message, opts)
    assert(message.role == 'user' and type(message.content) == 'string' and opts.visible == false)
    table.insert(self.messages, message.content)
  end
  function chat:add_tool_output(tool, for_model, for_user)
    table.insert(self.outputs, { tool.name, for_model, for_user })
  end
  chat.context = {
    add = function(_, item)
      assert(item.id and item.source)
      table.insert(chat.items, item)
    end,
  }
  return chat
end

---Runs a tool as codecompanion does.
local function call_tool(tool, args, meta_first)
  local chat = new_chat()
  local tools = { chat = chat }
  local finished
  local function output_handler(message)
    assert(not finished, 'called twice')
    finished = message
  end
  local output
  if meta_first == 'opts' then
    output = tool.cmds[1](tools, args, { output_cb = output_handler })
  else
    output = tool.cmds[1](tools, args, nil, output_handler)
  end
  t.eq(nil, output) -- so it is asynchronous
  t.wait('the tool', function()
    return finished
  end)
  local self = { name = tool.name, args = args }
  local show = tool.output[finished.status]
  if meta_first == 'old' then
    show(self, tools, {}, { finished.data })
  else
    show(self, { finished.data }, { tools = tools, cmd = {} })
  end
  return finished.status, chat.outputs[1]
end

for version, names in pairs({ current = { 'interactions', 'editor_context' }, before = { 'strategies', 'variables' } }) do
  t.test('codecompanion, ' .. version .. ': variable, slash command, tool', function()
    local chat_config = { slash_commands = {}, tools = {}, [names[2]] = {} }
    package.loaded['codecompanion.config'] = { [names[1]] = { chat = chat_config }, constants = { USER_ROLE = 'user' } }
    local extension = require('codecompanion._extensions.ambit')
    extension.setup({})

    -- interactions/chat/editor_context/user.lua: content = self.config.callback(self)
    local variable = chat_config[names[2]].ambit
    t.eq(true, variable.opts.contains_code)
    vim.cmd.enew() -- as in the chat
    local content = variable.callback({ Chat = new_chat(), config = variable })
    t.has('identifier="Cart.Total"', content)
    vim.cmd.buffer(bufnr)

    -- slash_commands/init.lua: return item.config.callback(chat)
    local chat = new_chat()
    chat_config.slash_commands.ambit.callback(chat)
    t.has('identifier="Cart.Total"', chat.messages[1])
    t.eq(1, #chat.items)

    -- tools/init.lua: a table as callback is the tool
    local tool = chat_config.tools.ambit.callback
    t.eq('function', tool.schema.type)
    t.eq('ambit', tool.schema['function'].name)
    vim.json.encode(tool.schema)
    for _, form in ipairs({ 'handler', 'opts', 'old' }) do
      local status, output = call_tool(tool, { query = 'how are prices summed up?', budget = 900 }, form)
      t.eq('success', status)
      t.eq('ambit', output[1])
      t.has('sum += priceOf', output[2])
    end
    local status, output = call_tool(tool, { path = 'item.go', line = 7 })
    t.eq('success', status)
    t.has('query="priceOf"', output[2])
    status, output = call_tool(tool, { path = 'nowhere.go', line = 7 })
    t.eq('error', status)
    t.has('no file nowhere.go', output[2])
    status, output = call_tool(tool, {})
    t.eq('error', status)
    t.has('give a symbol', output[2])
    -- A model reaches no other file, and none is opened for it.
    for _, path in ipairs({ '/etc/hostname', '../../etc/hostname', '~/.bashrc', 'file:///etc/hostname' }) do
      local before = #vim.api.nvim_list_bufs()
      status = call_tool(tool, { path = path, line = 1 })
      t.eq('error', status)
      t.eq(before, #vim.api.nvim_list_bufs())
    end
    status, output = call_tool(tool, { symbol = 'priceOf' })
    t.eq('success', status)
    t.has('query="priceOf"', output[2])
    t.has('identifier="Cart.Total"', extension.exports.context(bufnr))

    local without = { slash_commands = {}, tools = {}, [names[2]] = {} }
    package.loaded['codecompanion.config'][names[1]].chat = without
    extension.setup({ tool = false, variable = false, slash_command = false })
    t.eq({ slash_commands = {}, tools = {}, [names[2]] = {} }, without)
    package.loaded['codecompanion.config'] = nil
  end)
end

t.test('CopilotChat: a function with uri and resolve', function()
  local fn = require('ambit.adapters.copilotchat')
  -- functions.lua: parameters of the URI are those of the schema
  for parameter in fn.uri:gmatch('{([^}]*)}') do
    assert(fn.schema.properties[parameter], parameter)
  end
  -- functions.lua: #ambit:words fills the parameters in this order
  local names = vim.tbl_keys(fn.schema.properties)
  table.sort(names, function(a, b)
    local first, second = vim.list_contains(fn.schema.required, a), vim.list_contains(fn.schema.required, b)
    return first and not second or first == second and a < b
  end)
  t.eq({ 'query', 'budget', 'line', 'path', 'symbol' }, names)
  local source = {
    bufnr = bufnr,
    cwd = function()
      return t.home .. '/shop'
    end,
  }
  local resources
  -- CopilotChat calls it in a coroutine.
  local co = coroutine.create(function()
    resources = fn.resolve({ query = 'how are prices summed up?' }, source)
  end)
  assert(coroutine.resume(co))
  t.wait('the resources', function()
    return resources
  end)
  t.eq('ambit://context/how are prices summed up?', resources[1].uri)
  t.eq('text/xml', resources[1].mimetype)
  t.has('sum += priceOf', resources[1].data)
  resources = fn.resolve({ query = '', path = 'item.go', line = 7 }, source)
  t.has('query="priceOf"', resources[1].data)
  resources = fn.resolve({}, source)
  t.has('identifier="Cart.Total"', resources[1].data)
  local ok, err = pcall(fn.resolve, { path = 'nowhere.go' }, source)
  t.eq(false, ok)
  t.has('no file nowhere.go', err)
end)

t.test('avante: a custom tool', function()
  local tool = require('ambit.adapters.avante')
  t.eq('table', tool.param.type)
  for _, field in ipairs(tool.param.fields) do
    assert(field.name and field.type and field.description and field.optional)
  end
  local logs = {}
  local function on_log(log)
    table.insert(logs, log)
  end
  for version = 1, 2 do
    local result, err = t.await(function(on_complete)
      local returned
      if version == 1 then
        returned = tool.func({ query = 'how are prices summed up?' }, { on_log = on_log, on_complete = on_complete, session_ctx = {} })
      else
        returned = tool.func({ query = 'how are prices summed up?' }, on_log, on_complete, {})
      end
      t.eq(nil, returned) -- so it is asynchronous
    end)
    t.eq(nil, err)
    t.has('sum += priceOf', result)
  end
  t.eq({ 'how are prices summed up?', 'how are prices summed up?' }, logs)
  local result, err = t.await(function(on_complete)
    tool.func({ path = 'nowhere.go', line = 3 }, { on_log = on_log, on_complete = on_complete })
  end)
  t.eq(nil, result)
  t.has('no file nowhere.go', err)
end)

t.done()
