-- The function for CopilotChat, in the real plugin without a model.
-- needs: plugin plenary.nvim-v0.1.4
-- needs: plugin CopilotChat.nvim-v4.7.4
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')

local bufnr = t.edit('shop/cart.go', ') Total')
t.ready()

local chat = require('CopilotChat')
chat.setup({ functions = { ambit = require('ambit.adapters.copilotchat') } })

---Resolves a prompt as CopilotChat does before it asks the model.
---@return {resources: table[], tools: table[], prompt: string}
local function resolve(prompt)
  local result
  require('plenary.async').run(function()
    local resources, tools, text = chat.resolve_functions(prompt, { functions = chat.config.functions })
    return { resources = resources, tools = tools, prompt = text }
  end, function(answer)
    result = answer
  end)
  t.wait('the prompt', function()
    return result
  end)
  return result
end

local calls = 0

---Has the model call the function, and returns what CopilotChat sends to it.
local function call(arguments)
  calls = calls + 1
  local id = 'call' .. calls
  local tool_call = { id = id, name = 'ambit', arguments = vim.json.encode(arguments) }
  chat.chat:add_message({ id = id, role = 'assistant', content = '', tool_calls = { tool_call } })
  return resolve('#ambit:' .. id)
end

t.test('#ambit adds the context of the cursor', function()
  chat.open()
  local result = resolve('what is wrong in #ambit')
  t.has('identifier="Cart.Total"', result.resources[1].data)
  t.eq('text/xml', result.resources[1].mimetype)
end)

t.test('#ambit:question adds the context of the question', function()
  local result = resolve('#ambit:`how are prices summed up?` explain')
  t.eq('ambit://context/how are prices summed up?', result.resources[1].uri)
  t.has('sum += priceOf', result.resources[1].data)
end)

t.test('the model has a schema, and calls the function', function()
  local tool = vim.iter(require('CopilotChat.functions').parse_tools(chat.config.functions)):find(function(each)
    return each.name == 'ambit'
  end)
  t.eq({ 'query' }, tool.schema.required)
  t.eq('string', tool.schema.properties.symbol.type)
  t.has('sum += priceOf', call({ query = 'how are prices summed up?' }).resources[1].data)
  t.has('query="priceOf"', call({ query = '', path = 'item.go', line = 7 }).resources[1].data)
  t.has('no file nowhere.go', call({ query = '', path = 'nowhere.go', line = 7 }).tools[1].result)
end)

t.test('a buffer of code is the source', function()
  t.eq(bufnr, chat.get_source().bufnr)
end)

t.done()
