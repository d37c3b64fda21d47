---@brief [[
---`:Ambit context` shows the answer as the server spells it. Each source is a fold. The
---window remembers where it was asked, and follows the text there; each change of the
---budget, and each source that is pinned or dropped, asks the server again. When what
---was typed, saved or indexed since makes another answer, the bar says so, and `r` shows
---it: nothing moves under the cursor by itself.
---@brief ]]

---The window that shows a context. It is a page of the server's: every change of the
---budget, every source that is pinned or dropped is another question.
local M = {}

local api = vim.api

---@class ambit.View
---@field opts ambit.ContextOptions what was asked
---@field place {bufnr: integer, mark: integer}? where it was asked, unless in words
---@field result ambit.ContextResult
---@field pin string[]
---@field drop string[]
---@field names table<string, string> of what is pinned or dropped, by id
---@field cancel fun()? the question under way
---@field stale boolean? there is another answer by now
---@field looks integer how often that was to be looked at

---How long nothing must have been typed before the window looks whether its answer is
---another one by now.
local REST_MS = 500

local views = {} ---@type table<integer, ambit.View>
local marks = api.nvim_create_namespace('ambit.view')

---The keys of the window: what each does, and says in the help.
M.keys = {
  { 'gf', 'go to the source, at the line under the cursor', 'jump' },
  { '<CR>', 'the same', 'jump' },
  { 'y', 'copy the text, to the clipboard and the unnamed register; in visual mode as ever', 'copy' },
  { '+', 'a larger budget, by a count', 'more' },
  { '-', 'a smaller budget, by a count', 'less' },
  { 'x', 'drop the source', 'drop' },
  { 'p', 'pin the source, or let it go', 'pin' },
  { 'u', 'take the last drop back', 'undrop' },
  { 'e', 'explain why the source is here', 'explain' },
  { 'Q', 'the sources to the quickfix list', 'quickfix' },
  { 'r', 'ask again', 'refresh' },
  { ']]', 'the next source', 'next' },
  { '[[', 'the one before', 'previous' },
  { 'za', 'fold the source, as all of z', nil },
  { 'q', 'close', 'close' },
  { '?', 'this help', 'help' },
}

---@param message string
local function complain(message)
  vim.notify('ambit: ' .. message, vim.log.levels.ERROR)
end

---The source at a line of the text.
---@param view ambit.View
---@param row integer
---@return ambit.Source? source
---@return integer? index
local function source_at(view, row)
  for i, source in ipairs(view.result.sources) do
    local lines = source.text_lines
    if lines and lines[1] <= row and row <= lines[2] then
      return source, i
    end
  end
end

---@param list string[]
---@param id string
---@return boolean removed
local function remove(list, id)
  for i, other in ipairs(list) do
    if other == id then
      table.remove(list, i)
      return true
    end
  end
  return false
end

---The bar above the text.
---@param view ambit.View
---@return string
local function bar(view)
  local r = view.result
  local parts = {
    (r.symbol and r.symbol.identifier or view.opts.query or ''):gsub('%%', '%%%%'),
    ('%d of %d tokens'):format(r.tokens, r.budget),
    ('%d sources'):format(#r.sources),
  }
  if #view.pin > 0 then
    parts[#parts + 1] = ('%d pinned'):format(#view.pin)
  end
  if #view.drop > 0 then
    parts[#parts + 1] = ('%d dropped'):format(#view.drop)
  end
  if r.freshness.pending > 0 then
    parts[#parts + 1] = ('%d files not indexed yet'):format(r.freshness.pending)
  end
  if view.stale then
    parts[#parts + 1] = '%#WarningMsg#out of date, r asks again%*'
  end
  return ' ambit  ' .. table.concat(parts, ' · ') .. '%=? help '
end

---@param bufnr integer
local function show_bar(bufnr)
  for _, winid in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.wo[winid][0].winbar = bar(views[bufnr])
  end
end

---Shows the answer of a view.
---@param bufnr integer
local function show(bufnr)
  local view = views[bufnr]
  view.stale = false
  local text = vim.split((view.result.text:gsub('\n$', '')), '\n', { plain = true })
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, text)
  vim.bo[bufnr].modifiable = false
  api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  for _, source in ipairs(view.result.sources) do
    if source.text_lines and vim.list_contains(view.pin, source.id) then
      api.nvim_buf_set_extmark(bufnr, marks, source.text_lines[1] - 1, 0, {
        virt_text = { { 'pinned', 'DiagnosticInfo' } },
        virt_text_pos = 'right_align',
      })
    end
  end
  show_bar(bufnr)
  for _, winid in ipairs(vim.fn.win_findbuf(bufnr)) do
    api.nvim_win_call(winid, function()
      vim.cmd('normal! zx')
    end)
  end
end

---The question of a view, with what is pinned, dropped and afforded by now; nil when its
---place is gone.
---@param view ambit.View
---@return ambit.ContextOptions?
local function question(view)
  local opts = vim.deepcopy(view.opts)
  opts.pin, opts.drop = view.pin[1] and view.pin, view.drop[1] and view.drop
  if view.place then
    local at = api.nvim_buf_is_valid(view.place.bufnr) and api.nvim_buf_get_extmark_by_id(view.place.bufnr, marks, view.place.mark, {})
    if not at or not at[1] then
      return nil
    end
    opts.bufnr, opts.position = view.place.bufnr, { at[1] + 1, at[2] }
  end
  return opts
end

---Looks, when nothing has happened for a while, whether the answer is another one by
---now, and says so in the bar.
---@param bufnr integer
local function look(bufnr)
  local view = views[bufnr]
  view.looks = view.looks + 1
  local this = view.looks
  vim.defer_fn(function()
    local opts = views[bufnr] == view and view.looks == this and not view.stale and not view.cancel and question(view)
    if not opts then
      return
    end
    local shown = view.result
    require('ambit').context(opts, function(_, result)
      if views[bufnr] == view and view.result == shown and result and result.text ~= shown.text then
        view.stale = true
        show_bar(bufnr)
      end
    end)
  end, REST_MS)
end

---Asks again.
---@param bufnr integer
---@param undo fun()? when the question fails
local function ask(bufnr, undo)
  local view = views[bufnr]
  local opts = question(view)
  if not opts then
    return complain('the buffer that this was asked in is gone')
  end
  if view.cancel then
    view.cancel()
  end
  view.cancel = require('ambit').context(opts, function(err, result)
    if views[bufnr] ~= view then
      return
    end
    view.cancel = nil
    if not result then
      if undo then
        undo()
      end
      return complain(err or 'no answer')
    end
    view.result = result
    show(bufnr)
  end)
end

---The line of a source that a line of the text shows: the one that reads the same, by
---its number among equals.
---@param view ambit.View
---@param bufnr integer
---@param source ambit.Source
---@param row integer
---@return integer? row
local function shown_line(view, bufnr, source, row)
  local function trimmed(line)
    return (line:gsub('%s+$', ''))
  end
  local text = api.nvim_buf_get_lines(bufnr, source.text_lines[1] - 1, row, false)
  local wanted = trimmed(text[#text])
  if wanted == '' then
    return nil
  end
  local nth = #vim.tbl_filter(function(line)
    return trimmed(line) == wanted
  end, text)
  local target = require('ambit.places').position(source, view.result.offset_encoding)
  for _, range in ipairs(source.ranges) do
    for i, line in ipairs(api.nvim_buf_get_lines(target, range[1] - 1, range[2], false)) do
      if trimmed(line) == wanted then
        nth = nth - 1
        if nth == 0 then
          return range[1] + i - 1
        end
      end
    end
  end
end

---What the keys do. Each is called with the buffer of the window and its view.
local actions = {}

---@param bufnr integer
---@param view ambit.View
function actions.jump(bufnr, view)
  local row = api.nvim_win_get_cursor(0)[1]
  local source = source_at(view, row)
  if not source then
    return complain('there is no source under the cursor')
  end
  local line = shown_line(view, bufnr, source, row)
  local here = api.nvim_get_current_win()
  local target = vim.fn.win_getid(vim.fn.winnr('#'))
  if target == 0 or target == here or vim.wo[target].winfixbuf or api.nvim_win_get_config(target).relative ~= '' then
    target = nil
  end
  if api.nvim_win_get_config(here).relative ~= '' then
    vim.cmd('close')
  elseif target then
    api.nvim_set_current_win(target)
  else
    vim.cmd('aboveleft split')
  end
  require('ambit.places').jump(source, view.result.offset_encoding, line)
end

function actions.copy(_, view)
  require('ambit.actions').to_clipboard(view.result)
end

---@param bufnr integer
---@param by integer tokens
local function change_budget(bufnr, by)
  local view = views[bufnr]
  local before = view.opts.budget
  local base = before or view.result.budget
  view.opts.budget = math.max(base + by * vim.v.count1, 100)
  ask(bufnr, function()
    view.opts.budget = before
  end)
end

function actions.more(bufnr)
  change_budget(bufnr, require('ambit').options.budget_step)
end

function actions.less(bufnr)
  change_budget(bufnr, -require('ambit').options.budget_step)
end

function actions.drop(bufnr, view)
  local source = source_at(view, api.nvim_win_get_cursor(0)[1])
  if not source then
    return complain('there is no source under the cursor')
  end
  local pinned = remove(view.pin, source.id)
  table.insert(view.drop, source.id)
  ask(bufnr, function()
    remove(view.drop, source.id)
    if pinned then
      table.insert(view.pin, source.id)
    end
  end)
end

function actions.undrop(bufnr, view)
  local id = table.remove(view.drop)
  if not id then
    return complain('nothing is dropped')
  end
  ask(bufnr, function()
    table.insert(view.drop, id)
  end)
end

function actions.pin(bufnr, view)
  local source = source_at(view, api.nvim_win_get_cursor(0)[1])
  if not source then
    return complain('there is no source under the cursor')
  end
  local function toggle()
    if not remove(view.pin, source.id) then
      table.insert(view.pin, source.id)
    end
  end
  toggle()
  ask(bufnr, toggle) -- toggled back when there is no answer
end

function actions.explain(_, view)
  local source = source_at(view, api.nvim_win_get_cursor(0)[1])
  if not source then
    return complain('there is no source under the cursor')
  end
  require('ambit.actions').show_explanation(source)
end

function actions.quickfix(_, view)
  require('ambit.places').quickfix(M.title(view), view.result.sources, view.result.offset_encoding)
end

function actions.refresh(bufnr)
  ask(bufnr)
end

---@param view ambit.View
---@param step integer
local function move(view, step)
  local row = api.nvim_win_get_cursor(0)[1]
  local target
  for _, source in ipairs(view.result.sources) do
    local first = source.text_lines and source.text_lines[1]
    if first and step > 0 and first > row then
      target = math.min(target or first, first)
    elseif first and step < 0 and first < row then
      target = math.max(target or first, first)
    end
  end
  if target then
    api.nvim_win_set_cursor(0, { target, 0 })
  end
end

actions['next'] = function(_, view)
  for _ = 1, vim.v.count1 do
    move(view, 1)
  end
end

function actions.previous(_, view)
  for _ = 1, vim.v.count1 do
    move(view, -1)
  end
end

function actions.close()
  if #api.nvim_list_wins() == 1 then
    vim.cmd('bdelete')
  else
    vim.cmd('close')
  end
end

function actions.help()
  local lines = {}
  for _, key in ipairs(M.keys) do
    lines[#lines + 1] = ('%-5s %s'):format(key[1], key[2])
  end
  require('ambit.float').open('ambit: keys', lines)
end

---What a context is about.
---@param view ambit.View
---@return string
function M.title(view)
  local symbol = view.result.symbol
  return symbol and symbol.identifier or view.opts.query or 'context'
end

---The level of a fold, for 'foldexpr'.
---@return string
function M.fold()
  local view = views[api.nvim_get_current_buf()]
  local source = view and source_at(view, vim.v.lnum)
  if not source then
    return '0'
  end
  return source.text_lines[1] == vim.v.lnum and '>1' or '1'
end

---What a closed fold shows, for 'foldtext'.
---@return string
function M.foldtext()
  local view = views[api.nvim_get_current_buf()]
  local source = view and source_at(view, vim.v.foldstart)
  if not source then
    return vim.fn.foldtext()
  end
  return ('%s  %d tokens, %s '):format(require('ambit.places').label(source), source.tokens, source.section)
end

---@param layout ambit.Layout
---@param mods string? of the command, "vertical topleft"
---@param bufnr integer
---@param title string
---@return integer winid
local function open_window(layout, mods, bufnr, title)
  if layout == 'float' then
    local width, height = math.floor(vim.o.columns * 0.8), math.floor(vim.o.lines * 0.8)
    return api.nvim_open_win(bufnr, true, {
      relative = 'editor',
      width = math.max(width, 1),
      height = math.max(height, 1),
      row = math.floor((vim.o.lines - height) / 2) - 1,
      col = math.floor((vim.o.columns - width) / 2),
      border = 'rounded',
      title = ' ' .. title .. ' ',
    })
  end
  if not mods or mods == '' then
    mods = ({ vsplit = 'vertical', tab = 'tab' })[layout] or ''
  end
  vim.cmd(('%s sbuffer %d'):format(mods, bufnr))
  return api.nvim_get_current_win()
end

local opened = 0

---Opens the window for an answer.
---@param opts ambit.ContextOptions what was asked
---@param result ambit.ContextResult
---@param layout ambit.Layout?
---@param mods string? of the command
---@return integer bufnr
function M.open(opts, result, layout, mods)
  local view = { opts = vim.deepcopy(opts), result = result, pin = opts.pin or {}, drop = opts.drop or {}, looks = 0 } ---@type ambit.View
  if not opts.query then
    local row, col = opts.position[1] - 1, opts.position[2]
    local line = api.nvim_buf_get_lines(opts.bufnr, row, row + 1, false)[1] or ''
    local mark = api.nvim_buf_set_extmark(opts.bufnr, marks, row, math.min(col, #line), {})
    view.place = { bufnr = opts.bufnr, mark = mark }
  end
  local bufnr = api.nvim_create_buf(false, true)
  opened = opened + 1
  api.nvim_buf_set_name(bufnr, ('ambit://context/%d/%s'):format(opened, (M.title(view):gsub('[\n/\\]', ' '))))
  views[bufnr] = view
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].swapfile = false
  local group = api.nvim_create_augroup('ambit.view.' .. bufnr, {})
  api.nvim_create_autocmd('User', {
    group = group,
    pattern = 'AmbitStatus',
    callback = function(ev)
      if ev.data.state ~= 'ready' then
        return
      elseif view.result.freshness.pending > 0 then -- half an index does not have the last word
        ask(bufnr)
      elseif ev.data.generation ~= view.result.freshness.generation then
        look(bufnr)
      end
    end,
  })
  api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    group = group,
    callback = function(ev)
      if vim.bo[ev.buf].buftype == '' then
        look(bufnr)
      end
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    once = true,
    callback = function()
      api.nvim_del_augroup_by_id(group)
      if view.cancel then
        view.cancel()
      end
      views[bufnr] = nil
      if view.place and api.nvim_buf_is_valid(view.place.bufnr) then
        api.nvim_buf_del_extmark(view.place.bufnr, marks, view.place.mark)
      end
    end,
  })
  for _, key in ipairs(M.keys) do
    if key[3] then
      vim.keymap.set('n', key[1], function()
        actions[key[3]](bufnr, view)
      end, { buffer = bufnr, nowait = true, desc = 'ambit: ' .. key[2] })
    end
  end
  local winid = open_window(layout or require('ambit').options.layout, mods, bufnr, M.title(view))
  local spelled = { markdown = 'markdown', xml = 'xml' }
  vim.bo[bufnr].filetype = spelled[result.format] or ''
  local w = vim.wo[winid][0]
  w.foldmethod, w.foldexpr, w.foldtext = 'expr', "v:lua.require'ambit.view'.fold()", "v:lua.require'ambit.view'.foldtext()"
  w.foldlevel, w.foldenable, w.conceallevel, w.wrap = 99, true, 0, false
  w.number, w.relativenumber, w.signcolumn, w.spell = false, false, 'no', false
  show(bufnr)
  api.nvim_win_set_cursor(winid, { 1, 0 })
  return bufnr
end

---The context in a window: that of the current buffer, else any that is shown.
---@return ambit.View?
function M.current()
  local here = views[api.nvim_get_current_buf()]
  if here then
    return here
  end
  for _, winid in ipairs(api.nvim_tabpage_list_wins(0)) do
    local view = views[api.nvim_win_get_buf(winid)]
    if view then
      return view
    end
  end
end

return M
