-- The tool for avante, in the real plugin without a model.
-- needs: nvim12
-- needs: plugin plenary.nvim-v0.1.4
-- needs: plugin nui.nvim-0.4.0
-- needs: plugin avante.nvim-v0.1.2
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')

t.edit('shop/cart.go', ') Total')
t.ready()

require('avante.config').setup({ custom_tools = { require('ambit.adapters.avante') } })
local llm_tools = require('avante.llm_tools')
local tools = llm_tools.get_tools('', {})

---Has the model call the tool.
---@return string? result
---@return string? err
---@return string[] logs
local function call(input)
  local logs = {}
  local result, err = t.await(function(on_complete)
    local returned = llm_tools.process_tool_use(tools, { id = 'call', name = 'ambit', input = input }, {
      on_log = function(_, _, log)
        table.insert(logs, log)
      end,
      on_complete = on_complete,
    })
    t.eq(nil, returned) -- so it is asynchronous
  end)
  return result, err, logs
end

t.test('the model has the tool, with a schema', function()
  local tool = vim.iter(tools):find(function(each)
    return each.name == 'ambit'
  end)
  local schema = require('avante.providers.openai'):transform_tool(tool)
  t.eq('ambit', schema['function'].name)
  t.eq('string', schema['function'].parameters.properties.symbol.type)
  t.eq({}, schema['function'].parameters.required)
end)

t.test('the model calls the tool, and the user sees what it asks', function()
  local result, err, logs = call({ query = 'how are prices summed up?' })
  t.eq(nil, err)
  t.has('sum += priceOf', result)
  t.eq('how are prices summed up?', logs[2])
end)

t.test('an error names the next step', function()
  local result, err = call({ path = 'nowhere.go', line = 3 })
  t.eq(nil, result)
  t.has('no file nowhere.go', err)
end)

t.done()
