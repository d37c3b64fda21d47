-- Sources of dependencies, here of a module in Go's module cache.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local ambit = require('ambit')

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

t.test('a cursor in the source of a dependency has the users in the workspace', function()
  open()
  assert(vim.fn.search('^## `money.Round`', 'cw') > 0, t.text())
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xm', false)
  is_read_only()
  vim.fn.search('Round(', 'cw')
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('money.Round', result.symbol.identifier)
  t.has('bank.go', vim.inspect(result.sources))
  t.eq(t.home .. '/bank', vim.lsp.get_clients({ bufnr = 0, name = 'ambit' })[1].config.root_dir)
  vim.cmd.bwipeout()
end)

t.test('the window of the context, asked for in the source of a dependency, has the answer', function()
  open()
  assert(vim.fn.search('^## `money.Round`', 'cw') > 0, t.text())
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xm', false)
  is_read_only()
  vim.fn.search('Round(', 'cw')
  vim.cmd('Ambit context')
  t.wait('the answer', function()
    return vim.api.nvim_buf_get_name(0):find('^ambit://') and t.text():find('## `Balance`', 1, true)
  end)
  t.has('func Round(cents int) int', t.text())
  vim.cmd.bwipeout('money.go')
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

t.test('a search of dependencies shows its progress, and opens the declaration read-only', function()
  t.edit('bank/bank.go')
  t.ready()
  vim.ui.select = function(items, opts, on_choice)
    t.has('money.Round', opts.format_item(items[1]))
    on_choice(items[1])
  end
  local kinds = {}
  local watch = vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(ev)
      local value = ev.data.params.value
      if value.title == 'ambit: search' then -- Neovim adds it to the values after the first
        kinds[#kinds + 1] = value.kind
      end
    end,
  })
  vim.cmd('Ambit search deps=true round cents')
  t.wait('the jump', function()
    return vim.fn.expand('%:t') == 'money.go' and vim.fn.line('.') == 3
  end)
  vim.api.nvim_del_autocmd(watch)
  t.eq({ 'begin', 'end' }, kinds)
  is_read_only()
  vim.cmd.bwipeout()
end)

t.test('a search of dependencies that finds nothing says so, and its option is a switch', function()
  t.edit('bank/bank.go')
  vim.cmd('Ambit search deps=true xyzzyplugh')
  t.wait('the notice', function()
    return t.notices():find('nothing was found', 1, true)
  end)
  vim.cmd('Ambit search deps=maybe round')
  t.has('deps: use true or false', t.notices())
end)

---Returns a number as a zip file has it.
local function little(number, bytes)
  local out = ''
  for _ = 1, bytes do
    out, number = out .. string.char(number % 256), math.floor(number / 256)
  end
  return out
end

---Returns a zip file with one entry that is not compressed. It has no checksum.
local function zip(name, text)
  local about = little(10, 2) .. little(0, 12) .. little(#text, 4) .. little(#text, 4) .. little(#name, 2) .. little(0, 2)
  local entry = 'PK\3\4' .. about .. name .. text
  local list = 'PK\1\2' .. little(10, 2) .. about .. little(0, 14) .. name
  return entry .. list .. 'PK\5\6' .. little(0, 4) .. little(1, 2) .. little(1, 2) .. little(#list, 4) .. little(#entry, 4) .. little(0, 2)
end

t.test('a source in an archive opens read-only', function()
  local artifact = 'org/example/money/1.2'
  local jar = t.home .. '/.m2/repository/' .. artifact .. '/money-1.2-sources.jar'
  write('till/pom.xml', {
    '<project><groupId>org.till</groupId><artifactId>till</artifactId><version>1</version><dependencies>',
    '<dependency><groupId>org.example</groupId><artifactId>money</artifactId><version>1.2</version></dependency>',
    '</dependencies></project>',
  })
  vim.fn.mkdir(vim.fs.dirname(jar), 'p')
  local file = assert(io.open(jar, 'wb'))
  file:write(
    zip(
      'org/example/Money.java',
      'package org.example;\n\n/** Counts cents. */\npublic class Money {\n  public static int round(int cents) { return cents; }\n}\n'
    )
  )
  file:close()
  write(
    'till/Till.java',
    { 'package org.till;', '', 'import org.example.Money;', '', 'class Till {', '  int balance() { return Money.round(1); }', '}' }
  )
  vim.fn.mkdir(t.home .. '/till/.git')
  t.edit('till/Till.java', 'balance')
  t.ready()
  vim.cmd('Ambit context')
  t.wait('the window', function()
    return vim.api.nvim_buf_get_name(0):find('^ambit://')
  end)
  assert(vim.fn.search('^## `org.example.Money', 'cw') > 0, t.text())
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xm', false)
  t.has('money-1.2-sources.jar!/org/example/Money.java', vim.api.nvim_buf_get_name(0))
  t.has('public static int round', t.text())
  t.eq({ true, false, 'java' }, { vim.bo.readonly, vim.bo.modifiable, vim.bo.filetype })
end)

t.done()
