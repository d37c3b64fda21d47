-- The command from a release. vim.g.releases is a server on loopback with good and bad ones, and
-- there is no ambit on the PATH. install_test.go runs this.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local ambit = require('ambit')

local dir = vim.fn.stdpath('data') .. '/ambit'
local program = dir .. '/bin/ambit'

---Returns the files of the installation.
local function files()
  local found = {}
  for name, kind in vim.fs.dir(dir, { depth = 5 }) do
    found[#found + 1] = kind == 'file' and name or nil
  end
  return found
end

---Installs a release that is refused, and checks that the machine is as before.
local function fails(release, want)
  local before = files()
  local err, result = ambit.install({ url = vim.g.releases .. release })
  t.eq(nil, result)
  t.has(want, err)
  t.eq(before, files())
  t.eq(0, vim.fn.filereadable(t.home .. '/was-run'))
end

t.test('without an address, the error says how to name one', function()
  vim.cmd('Ambit install')
  t.has('name one: `:Ambit install https://HOST/PATH`', t.notices())
  t.has('must begin with https://', (ambit.install({ url = 'http://example.com/release' })))
  t.has('must begin with https://', (ambit.install({ url = '--help' })))
  t.eq(0, vim.fn.isdirectory(dir))
end)

t.test('a refused release leaves nothing', function()
  fails('/wrong', 'nothing was installed')
  t.eq({}, files())
end)

t.test('a release is installed, and the plugin uses it', function()
  t.edit('shop/cart.go', ') Total')
  t.has('was not found', (ambit.context()))
  vim.cmd('Ambit install ' .. vim.g.releases .. '/good/')
  t.wait('the installation', function()
    return #t.noticed > 1
  end)
  t.has('ambit 1.2.3 is installed as ' .. program, t.notices())
  t.eq({ 'bin/ambit' }, files())
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
  vim.cmd('checkhealth ambit')
  t.has(program, t.text())
  vim.cmd.close()
end)

t.test('a failure keeps the program that is there', function()
  fails('/wrong', 'nothing was installed')
  fails('/half', 'download ' .. vim.g.releases .. '/half/ambit-1.2.3-')
  fails('/cut', 'and the release says')
  fails('/other', 'it has plan9-vax')
  fails('/empty', 'names no archive of ambit')
  fails('/nothing', 'check the address and the network')
  fails('/broken', 'does not run here')
  t.eq({ 'bin/ambit' }, files())
end)

t.test('without a network, the error says so', function()
  local err = ambit.install({ url = vim.g.nowhere })
  t.has('check the address and the network', err)
end)

t.test('a release replaces an older one', function()
  local err, result = ambit.install({ url = vim.g.releases .. '/newer' })
  t.eq(nil, err)
  t.eq({ path = program, version = '1.3.0' }, result)
  t.eq({ 'bin/ambit' }, files())
end)

t.done()
