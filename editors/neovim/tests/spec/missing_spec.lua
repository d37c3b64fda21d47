-- The errors when the server is missing, is another program, or ends.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local ambit = require('ambit')

t.edit('shop/cart.go', ') Total')

local function set(cmd)
  ambit.setup({ cmd = cmd, enable = false })
end

t.test('the error names a missing command, and how to get it', function()
  set({ 'ambit-that-is-not-there', 'lsp' })
  local err, result = ambit.context()
  t.eq(nil, result)
  t.has('`ambit-that-is-not-there` was not found', err)
  t.has('make build', err)
  t.has("cmd = { '/path/to/ambit', 'lsp' }", err)
  vim.cmd('Ambit context')
  t.has('was not found', t.notices())
  vim.cmd('checkhealth ambit')
  t.has('was not found', t.text())
  vim.cmd.close()
end)

t.test('a command that is no server is an error', function()
  set({ 'false' })
  local err = ambit.context()
  t.has('checkhealth ambit', err)
end)

t.test('the right command works without a restart', function()
  set({ 'ambit', 'lsp' })
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
end)

t.test('a server that ends ends its questions, and the next question starts it', function()
  local client = vim.lsp.get_clients({ name = 'ambit' })[1]
  local answers = 0
  ambit.reindex({}, function()
    answers = answers + 1
  end)
  -- The true kills the process.
  vim.lsp.stop_client(client.id, true)
  t.wait('an answer', function()
    return answers > 0
  end)
  t.wait('the end', function()
    return #vim.lsp.get_clients({ name = 'ambit' }) == 0
  end)
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
  t.eq(1, answers)
end)

t.test('checkhealth shows what is installed', function()
  t.ready()
  vim.cmd('checkhealth ambit')
  local text = t.text()
  t.has('serves ~/shop to', text)
  t.has('Neovim', text)
  t.has('~/shop: ready, 6 files, 0 pending', text)
  t.has('picker: select', text)
  assert(not text:find('ERROR', 1, true), text)
end)

t.done()
