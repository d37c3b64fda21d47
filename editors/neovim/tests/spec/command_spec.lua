-- The subcommands of :Ambit and their completion.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local api = vim.api

local function complete(line)
  return vim.fn.getcompletion(line, 'cmdline')
end

t.test('no module is loaded before the command is used', function()
  t.eq(2, vim.fn.exists(':Ambit'))
  for name in pairs(package.loaded) do
    assert(not name:match('^ambit'), name)
  end
end)

t.test('subcommands, options and values are completed', function()
  t.eq(
    { 'chunks', 'context', 'copy', 'explain', 'install', 'pause', 'quickfix', 'reindex', 'related', 'resume', 'search', 'status' },
    complete('Ambit ')
  )
  t.eq({ 'context', 'copy' }, complete('Ambit co'))
  t.eq({ 'format=plain' }, complete('Ambit context budget=2000 format=p'))
  t.eq(
    { 'scope=comprehensive', 'scope=exploratory', 'scope=focused' },
    (function()
      local list = complete('Ambit copy scope=')
      table.sort(list)
      return list
    end)()
  )
  t.eq({ 'layout=' }, complete('Ambit context lay'))
  t.eq({ 'web/' }, complete('Ambit reindex w'))
  t.eq({ 'path=web/' }, complete('Ambit search path=w'))
  t.eq({}, complete('Ambit nothing '))
end)

t.test('a wrong subcommand or number is an error', function()
  vim.cmd('Ambit nothing')
  t.has('there is no :Ambit nothing', t.notices())
  vim.cmd('Ambit context budget=much')
  t.has('budget: use a number', t.notices())
  vim.cmd('Ambit budgt=900 how are prices summed up')
  t.has('there is no option budgt here; use budget,', t.notices())
end)

t.edit('shop/cart.go', ') Total')
t.ready()

---Runs a command and waits until the number of windows changes.
local function opens(command)
  local before = #api.nvim_list_wins()
  vim.cmd(command)
  t.wait('a window by ' .. command, function()
    return #api.nvim_list_wins() ~= before
  end)
end

t.test('context opens a window where modifiers and layout place it', function()
  opens('Ambit context budget=900')
  t.has('Cart.Total', t.text())
  t.has('of 900 tokens', vim.wo.winbar)
  t.eq('markdown', vim.bo.filetype)
  vim.cmd.close()
  opens('vertical Ambit')
  t.eq('row', vim.fn.winlayout()[1])
  vim.cmd.close()
  opens('Ambit context layout=tab format=xml')
  t.eq(2, #api.nvim_list_tabpages())
  t.has('<codebase_context', t.text())
  vim.cmd.tabclose()
  opens('Ambit! context')
  t.eq('editor', api.nvim_win_get_config(0).relative)
  vim.cmd.close()
  opens('Ambit context how are prices summed up?')
  t.has('how are prices summed up?', vim.wo.winbar)
  t.has('Cart.Total', t.text())
  vim.cmd.close()
end)

t.test('context is the subcommand when none is given', function()
  opens('Ambit how are prices summed up?')
  t.has('how are prices summed up?', vim.wo.winbar)
  vim.cmd.close()
  opens('Ambit layout=vsplit budget=900')
  t.eq('row', vim.fn.winlayout()[1])
  t.has('of 900 tokens', vim.wo.winbar)
  vim.cmd.close()
end)

t.test('a range asks about the place where it begins', function()
  t.edit('shop/item.go', '^package')
  local line = vim.fn.search('^func priceOf', 'n')
  opens(line .. 'Ambit')
  t.has('priceOf', vim.wo.winbar)
  vim.cmd.close()
  vim.fn.search('^func priceOf')
  vim.cmd('normal! wv$\27gg')
  opens("'<,'>Ambit")
  t.has('priceOf', vim.wo.winbar)
  vim.cmd.close()
  t.edit('shop/cart.go', ') Total')
end)

t.test('a window without code is no place of a question', function()
  for _, window in ipairs({ 'help insert', 'new | terminal cat', 'Sexplore', 'copen' }) do
    vim.cmd(window)
    for _, command in ipairs({ 'Ambit', 'Ambit copy', 'Ambit related', 'Ambit quickfix' }) do
      vim.cmd(command)
      t.has('this window shows no code', t.notices())
    end
    vim.cmd('bwipeout!')
  end
end)

t.test('paths are relative to the working directory when they are typed, and reach the server from the workspace', function()
  vim.cmd.cd('web')
  opens('Ambit')
  vim.cmd.close()
  t.edit('shop/cart.go', ') Total')
  opens('Ambit explain')
  t.has('Cart.Total', t.text())
  vim.cmd.close()
  local asked
  local search = require('ambit').search
  require('ambit').search = function(opts)
    asked = opts.path
  end
  vim.cmd('Ambit search path=checkout.ts total')
  t.eq('web/checkout.ts', asked)
  vim.cmd('Ambit search path=*.go total')
  t.eq('*.go', asked)
  require('ambit').search = search
  vim.cmd.cd('..')
end)

t.test('copy puts the context into the register', function()
  vim.fn.setreg('"', '')
  vim.cmd('Ambit copy budget=600 format=xml')
  t.wait('the register', function()
    return vim.fn.getreg('"') ~= ''
  end)
  t.has('<codebase_context', vim.fn.getreg('"'))
  t.has('tokens', t.notices())
end)

---Copies the context, and returns the text.
local function copied()
  vim.fn.setreg('"', '')
  vim.cmd('Ambit copy')
  t.wait('the register', function()
    return vim.fn.getreg('"') ~= ''
  end)
  return vim.fn.getreg('"')
end

t.test('a later setup reaches the server that runs, and copy takes the format of the settings', function()
  t.has('## `Cart.Total`', copied())
  local function budget_is(budget) -- the server asks for the new settings
    t.wait('the settings', function()
      return select(2, require('ambit').context({})).budget == budget
    end)
  end
  require('ambit').setup({ settings = { format = 'xml', budget = 700 } })
  budget_is(700)
  t.has('<codebase_context', copied())
  local template = t.home .. '/prompt.tmpl'
  vim.fn.writefile({ 'Look at {{range .Sources}}{{.Identifier}} {{end}}' }, template)
  require('ambit').setup({ settings = { template = template, budget = 600 } })
  budget_is(600)
  t.has('Look at Cart.Total ', copied())
  require('ambit').setup({ settings = { budget = 8000 } })
  budget_is(8000)
  t.notices()
end)

t.test('setup names all wrong options in one message, and takes the others', function()
  require('ambit').setup({ picker = 'nosuch', layuot = 'tab', budget_step = 500 })
  local notice = t.notices()
  t.has('picker: expected one of snacks, telescope, fzf-lua, select, got nosuch', notice)
  t.has('there is no option layuot; the options are budget_step, cmd,', notice)
  t.eq(500, require('ambit').options.budget_step)
  t.eq(nil, require('ambit').options.picker)
end)

---Makes vim.ui.select choose the item whose label has a text.
local function choose(text)
  local offered = {}
  vim.ui.select = function(items, opts, on_choice)
    for _, item in ipairs(items) do
      local label = opts.format_item(item)
      offered[#offered + 1] = label
      if label:find(text, 1, true) then
        return on_choice(item)
      end
    end
    on_choice(nil)
  end
  return offered
end

t.test('related lists the neighbours, and goes to the choice', function()
  local offered = choose('priceOf')
  vim.cmd('Ambit related limit=20')
  t.wait('the jump', function()
    return vim.fn.expand('%:t') == 'item.go'
  end)
  t.eq(7, vim.fn.line('.') > 3 and 7 or 0)
  assert(
    vim.iter(offered):any(function(label)
      return label:find('TestTotal', 1, true)
    end),
    vim.inspect(offered)
  )
  t.has('function, uses', table.concat(offered, '\n'))
end)

t.test('search lists the matches, or says that there are none', function()
  choose('web/checkout.ts')
  vim.cmd('Ambit search checkout language=typescript')
  t.wait('the jump', function()
    return vim.fn.expand('%:t') == 'checkout.ts'
  end)
  vim.cmd('Ambit search path=docs/nowhere xyzzyplugh')
  t.wait('the notice', function()
    return t.notices():find('nothing was found', 1, true)
  end)
end)

t.test('quickfix lists the sources', function()
  t.edit('shop/cart.go', ') Total')
  vim.cmd('Ambit quickfix')
  t.wait('the list', function()
    return vim.fn.getqflist({ title = 1 }).title == 'ambit: Cart.Total'
  end)
  local items = vim.fn.getqflist()
  t.eq('cart.go', vim.fn.fnamemodify(vim.fn.bufname(items[1].bufnr), ':t'))
  t.eq(6, items[1].lnum)
  t.has('Cart.Total', items[1].text)
  vim.cmd.cclose()
end)

t.test('explain shows the terms of a score', function()
  t.edit('shop/cart.go', ') Total')
  assert(require('ambit').context({}) == nil)
  opens('Ambit explain priceOf')
  t.has('priceOf', t.text())
  t.has('shown in supporting', t.text())
  vim.cmd('normal q')
  opens('Ambit explain')
  t.has('Cart.Total', t.text())
  vim.cmd('normal q')
  vim.cmd('Ambit explain nobody')
  t.wait('the notice', function()
    return t.notices():find('does not find', 1, true)
  end)
end)

t.test('chunks are shown in the buffer, updated and hidden', function()
  local bufnr = t.edit('shop/cart.go')
  local namespace = api.nvim_get_namespaces()['ambit.chunks'] or api.nvim_create_namespace('ambit.chunks')
  local function shown()
    local all = {}
    for _, mark in ipairs(api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })) do
      all[#all + 1] = mark[4].virt_lines[1][1][1]
    end
    return table.concat(all, '\n')
  end
  vim.cmd('Ambit chunks')
  t.wait('chunks', function()
    return shown():find('tokens', 1, true)
  end)
  api.nvim_buf_set_lines(
    bufnr,
    -1,
    -1,
    false,
    vim.split(('\nfunc another() int {\n%s\treturn 0\n}'):format(('\tprintln("another line of it, %d", 1)\n'):rep(30)), '\n')
  )
  api.nvim_exec_autocmds('TextChanged', { buffer = bufnr })
  t.wait('the new chunk', function()
    return shown():find('another', 1, true)
  end)
  vim.cmd('Ambit chunks')
  t.eq('', shown())
  vim.cmd('silent undo')
end)

t.test('status shows what is indexed', function()
  opens('Ambit status')
  t.has('~/shop', t.text())
  t.has('ready', t.text())
  t.has('go 3', t.text())
  vim.cmd('normal q')
end)

t.test('pause, resume and reindex show what they did', function()
  vim.cmd('Ambit pause')
  t.wait('paused', function()
    return t.notices():find('paused', 1, true)
  end)
  vim.cmd('Ambit resume')
  t.wait('resumed', function()
    return t.notices():find('resumed', 1, true)
  end)
  vim.cmd('Ambit reindex')
  t.wait('reindexed', function()
    return t.notices():find('read 6 files again', 1, true)
  end)
  vim.cmd('Ambit reindex docs/')
  t.wait('reindexed', function()
    return t.notices():find('read 1 files again', 1, true)
  end)
  vim.cmd('Ambit reindex ../elsewhere')
  t.has('is not in', t.notices())
end)

t.test('the drive letters of Windows are compared without their case', function()
  local relative = require('ambit.actions').relative
  t.eq('src/a.go', relative('C:/work/shop', 'c:/work/shop/src/a.go'))
  t.eq('', relative('C:/work/shop', 'C:/work/shop'))
  t.eq(nil, relative('C:/work/shop', 'C:/work/shopping/a.go'))
  t.eq(nil, relative('C:/work/shop', 'D:/work/shop/a.go'))
  t.eq('a.go', relative('//server/share', '//server/share/a.go'))
end)

t.done()
