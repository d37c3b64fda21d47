-- The tool for models that all adapters share. The specs of the adapters run the plugins.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local tool = require('ambit.adapters.tool')

local bufnr = t.edit('shop/cart.go', ') Total')
t.ready()

---@return string? err
---@return string? text
local function call(input)
  return t.await(function(cb)
    tool.call(input, bufnr, cb)
  end)
end

t.test('a model asks by words, by symbol, and by path and line', function()
  local err, text = call({ query = 'how are prices summed up?', budget = 900 })
  t.eq(nil, err)
  t.has('sum += priceOf', text)
  for _, input in ipairs({ { symbol = 'priceOf', query = '' }, { path = 'item.go', line = 7 }, { path = 'item.go', line = '7' } }) do
    err, text = call(input)
    t.eq(nil, err)
    t.has('query="priceOf"', text)
  end
end)

t.test('what cannot be answered is refused with the next step', function()
  t.has('no file nowhere.go', (call({ path = 'nowhere.go', line = 7 })))
  t.has('give a symbol', (call({})))
end)

t.test('a model reaches no file outside of the workspace, and none is opened for it', function()
  for _, path in ipairs({ '/etc/hostname', '../../etc/hostname', '~/.bashrc', 'file:///etc/hostname' }) do
    local before = #vim.api.nvim_list_bufs()
    local err, text = call({ path = path, line = 1 })
    t.eq(nil, text)
    assert(err, path)
    t.eq(before, #vim.api.nvim_list_bufs())
  end
end)

t.done()
