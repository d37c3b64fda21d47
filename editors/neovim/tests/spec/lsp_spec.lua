-- Features of Neovim's own client: hover, code actions, status and progress.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local ambit = require('ambit')
local api = vim.api

local states, progress = {}, {}
api.nvim_create_autocmd('User', {
  pattern = 'AmbitStatus',
  callback = function(ev)
    states[#states + 1] = ev.data.state
    assert(ev.data.client_id and ev.data.files)
  end,
})
api.nvim_create_autocmd('LspProgress', {
  callback = function(ev)
    local params = ev.data.params or ev.data.result
    progress[#progress + 1] = params.value.kind
  end,
})

t.test('setup attaches to files, with settings', function()
  for i = 1, 60 do -- enough files for a progress
    vim.fn.writefile({ 'package shop', ('func more%d() int { return %d }'):format(i, i) }, ('%s/shop/more%d.go'):format(t.home, i))
  end
  ambit.setup({ settings = { budget = 777 } })
  t.edit('shop/cart.go', ') Total')
  t.wait('the client', function()
    return vim.lsp.get_clients({ name = 'ambit', bufnr = 0 })[1]
  end)
  t.ready()
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq(777, result.budget)
  err, result = ambit.context({ budget = 888 })
  t.eq(nil, err)
  t.eq(888, result.budget)
end)

t.test('events and the status line show the status', function()
  t.wait('ready', function()
    return states[#states] == 'ready'
  end)
  t.eq('ambit ready', ambit.statusline())
  vim.o.statusline = "%{v:lua.require'ambit'.statusline()}"
  t.eq('ambit ready', api.nvim_eval_statusline(vim.o.statusline, {}).str)
  vim.cmd.enew()
  t.eq('', ambit.statusline())
  t.edit('shop/cart.go', ') Total')
  ambit.pause()
  t.wait('paused', function()
    return ambit.statusline() == 'ambit paused'
  end)
  ambit.resume()
  t.wait('ready', function()
    return ambit.statusline() == 'ambit ready'
  end)
end)

local servers = 0

---Starts a server that answers hovers with a text, or nil for none; late ones when it is told.
---@param text string?
---@param late boolean?
---@return fun() answer sends the late answers
---@return fun() stop
local function language_server(text, late)
  local held = {}
  servers = servers + 1
  local function answer()
    for _, send in ipairs(held) do
      send()
    end
    held = {}
  end
  local id = assert(vim.lsp.start({
    name = 'language' .. servers, -- a name alone would be the server before
    cmd = function()
      return {
        request = function(method, _, callback)
          local function send()
            callback(
              nil,
              method == 'initialize' and { capabilities = { hoverProvider = true } }
                or text and { contents = { kind = 'markdown', value = text } }
            )
          end
          if late and method == 'textDocument/hover' then
            held[#held + 1] = send
          else
            vim.schedule(send)
          end
          return true, 1
        end,
        notify = function() end,
        is_closing = function() end,
        terminate = function() end,
      }
    end,
  }))
  t.wait('the server', function()
    return #vim.lsp.get_clients({ bufnr = 0, method = 'textDocument/hover' }) == 2
  end)
  return answer, function()
    vim.lsp.buf_detach_client(0, id)
  end
end

---Returns the text of the floating windows, and closes them.
local function floating()
  local texts = {}
  for _, winid in ipairs(api.nvim_list_wins()) do
    if api.nvim_win_get_config(winid).relative ~= '' then
      texts[#texts + 1] = t.text(api.nvim_win_get_buf(winid))
    end
  end
  return texts
end

local function close_floating()
  for _, winid in ipairs(api.nvim_list_wins()) do
    if api.nvim_win_get_config(winid).relative ~= '' then
      api.nvim_win_close(winid, true)
    end
  end
end

t.test('hover is below that of the language server, which may be late or have none', function()
  t.edit('shop/cart.go', ') Total')
  for _, case in ipairs({ { 'of the language' }, { 'of the language', true }, {} }) do
    local answer, stop = language_server(case[1], case[2])
    local text
    -- A hover shows what the server finds within milliseconds, so a busy machine needs more tries.
    t.wait('the hover', function()
      close_floating()
      vim.lsp.buf.hover()
      return vim.wait(2000, function()
        answer()
        local texts = floating()
        text = texts[1]
        return #texts == 1 and text:find('priceOf', 1, true) ~= nil
      end, 5)
    end)
    t.eq(case[1] ~= nil, text:find('of the language', 1, true) ~= nil)
    if vim.fn.has('nvim-0.11') == 0 and case[1] then
      assert(text:find('of the language', 1, true) < text:find('priceOf', 1, true), text)
    end
    stop()
    close_floating()
  end
end)

t.test('indexing reports its progress', function()
  t.eq(nil, (ambit.reindex()))
  t.wait('the end', function()
    return vim.list_contains(progress, 'end')
  end)
  t.eq('begin', progress[1])
end)

t.test('hover shows the context of the symbol', function()
  t.edit('shop/cart.go', ') Total')
  ---Closes the floating window. Returns its text.
  local function floating()
    for _, winid in ipairs(api.nvim_list_wins()) do
      if api.nvim_win_get_config(winid).relative ~= '' then
        local text = t.text(api.nvim_win_get_buf(winid))
        api.nvim_win_close(winid, true)
        return text
      end
    end
  end
  -- A hover shows what the server finds within milliseconds, so a busy machine needs more tries.
  t.wait('the hover', function()
    api.nvim_feedkeys('K', 'xm', false)
    local text
    vim.wait(2000, function()
      text = floating()
      return text
    end, 5)
    return text and text:find('ambit', 1, true) and text:find('priceOf', 1, true)
  end)
end)

t.test('the code actions copy, and list related places', function()
  t.edit('shop/cart.go', ') Total')
  local titles = {}
  local function act(title)
    vim.ui.select = function(items, opts, on_choice)
      for _, item in ipairs(items) do
        local label = opts.format_item and opts.format_item(item) or item
        titles[#titles + 1] = label
        if label:find(title, 1, true) then
          return on_choice(item)
        end
      end
      on_choice(nil)
    end
    vim.lsp.buf.code_action()
  end
  vim.fn.setreg('"', '')
  act('Copy context')
  t.wait('the register', function()
    return vim.fn.getreg('"'):find('Cart.Total', 1, true)
  end)
  act('Show related')
  t.wait('the choice', function()
    return table.concat(titles, '\n'):find('priceOf  item.go', 1, true)
  end)
end)

t.test('setup detaches the server', function()
  if vim.fn.has('nvim-0.11') == 0 then
    return -- Neovim 0.10 has no vim.lsp.enable
  end
  ambit.setup({ enable = false })
  t.wait('no client', function()
    return #vim.lsp.get_clients({ name = 'ambit' }) == 0
  end)
end)

t.done()
