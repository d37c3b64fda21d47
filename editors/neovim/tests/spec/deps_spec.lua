-- Sources of dependencies, here of a module in Go's module cache.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')

---@param name string below the home
---@param lines string[]
local function write(name, lines)
  local path = t.home .. '/' .. name
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  vim.fn.writefile(lines, path)
end

local cached = 'go/pkg/mod/example.org/money@v1.2.3/'
write(cached .. 'go.mod', { 'module example.org/money', 'go 1.21' })
write(cached .. 'money.go', { 'package money', '', '// Round rounds cents up.', 'func Round(cents int) int { return (cents + 99) / 100 }' })
write('bank/go.mod', { 'module bank', 'go 1.21', 'require example.org/money v1.2.3' })
write('bank/bank.go', { 'package bank', '', 'import "example.org/money"', '', 'func Balance() int { return money.Round(1) }' })
vim.fn.mkdir(t.home .. '/bank/.git')

---Opens the context of Balance in a window.
local function open()
  t.edit('bank/bank.go', 'func Balance')
  t.ready()
  vim.cmd('Ambit context')
  t.wait('the window', function()
    return vim.api.nvim_buf_get_name(0):find('^ambit://')
  end)
end

local function is_read_only()
  t.eq('money.go', vim.fn.expand('%:t'))
  t.eq({ true, false }, { vim.bo.readonly, vim.bo.modifiable })
  t.has('modifiable', select(2, pcall(vim.cmd, 'delete')))
end

t.test('<CR> opens the source of a dependency read-only', function()
  open()
  assert(vim.fn.search('^## `money.Round`', 'cw') > 0, t.text())
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xm', false)
  is_read_only()
  t.eq({ 3, 0 }, vim.api.nvim_win_get_cursor(0))
  vim.cmd.bwipeout()
end)

t.test('the quickfix list opens it read-only, and the sources of the workspace as they are', function()
  open()
  vim.cmd('Ambit quickfix')
  for _, item in ipairs(vim.fn.getqflist()) do
    if vim.api.nvim_buf_get_name(item.bufnr):find('money.go', 1, true) then
      vim.cmd.buffer(item.bufnr)
      is_read_only()
      t.edit('bank/bank.go')
      t.eq({ false, true }, { vim.bo.readonly, vim.bo.modifiable })
      return
    end
  end
end)

t.done()
