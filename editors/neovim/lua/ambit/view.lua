---@brief [[
---`:Ambit context` shows the text of the answer. Each source is a fold. A later `:Ambit` of the
---tab page takes the same window, unless it says where to open another; in the window it asks
---about the source under the cursor. The window
---opens the source of a dependency read-only. It
---remembers the place of the question, which moves with the text around it. It asks the
---server again when you change the budget, when you pin or drop a source, and when an index
---that was incomplete becomes ready. When other changes make the answer out of date, the bar
---says so and `r` asks again.
---
---Code in Markdown is colored by tree-sitter when the parsers of all its languages are
---installed; else, and in XML and plain text, by their syntax files. The highlight groups `AmbitStale` (|hl-WarningMsg|), `AmbitPinned`
---(`DiagnosticInfo`), `AmbitFold` (|hl-Folded|) and `AmbitChunk` (|hl-Comment|) link to the groups in
---parentheses unless you define them.
---@brief ]]

---Opens context windows.
local M = {}

local api = vim.api
local ask = require('ambit.view.ask')
local state = require('ambit.view.state')

---Returns the context window of the current tab page that is not floating.
---@return integer? winid
local function existing()
  for _, winid in ipairs(api.nvim_tabpage_list_wins(0)) do
    if state.views[api.nvim_win_get_buf(winid)] and api.nvim_win_get_config(winid).relative == '' then
      return winid
    end
  end
end

---Opens a window, or takes the one of the tab page when nothing says where to open another.
---@param layout ambit.Layout?
---@param mods string? of the command, "vertical topleft"
---@param bufnr integer
---@param title string
---@return integer winid
local function open_window(layout, mods, bufnr, title)
  local reused = not layout and (not mods or mods == '') and existing()
  if reused then
    api.nvim_win_set_buf(reused, bufnr)
    api.nvim_set_current_win(reused)
    return reused
  end
  layout = layout or require('ambit').options.layout
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

---Returns the state of a new window. Marks the place of its question.
---@param opts ambit.ContextOptions
---@param result ambit.ContextResult
---@return ambit.View
local function new_view(opts, result)
  local view = { opts = vim.deepcopy(opts), result = result, pin = opts.pin or {}, drop = opts.drop or {}, checks = 0 } ---@type ambit.View
  if not opts.query and api.nvim_buf_is_valid(opts.bufnr) then
    -- The text may have changed since the question.
    local row, col = math.min(opts.position[1], api.nvim_buf_line_count(opts.bufnr)) - 1, opts.position[2]
    local line = api.nvim_buf_get_lines(opts.bufnr, row, row + 1, false)[1] or ''
    local mark = api.nvim_buf_set_extmark(opts.bufnr, state.namespace, row, math.min(col, #line), {})
    view.place = { bufnr = opts.bufnr, mark = mark }
  end
  return view
end

---Follows the index and the text, until the buffer of the view is gone.
---@param bufnr integer
---@param view ambit.View
local function watch(bufnr, view)
  local group = api.nvim_create_augroup('ambit.view.' .. bufnr, {})
  api.nvim_create_autocmd('User', {
    group = group,
    pattern = 'AmbitStatus',
    callback = function(ev)
      if ev.data.state ~= 'ready' then
        return
      elseif view.result.freshness.pending > 0 then -- the answer is of an incomplete index
        ask.again(bufnr)
      elseif ev.data.generation ~= view.result.freshness.generation then
        ask.check(bufnr)
      end
    end,
  })
  api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    group = group,
    callback = function(ev)
      if vim.bo[ev.buf].buftype == '' then
        ask.check(bufnr)
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
      state.views[bufnr] = nil
      if view.place and api.nvim_buf_is_valid(view.place.bufnr) then
        api.nvim_buf_del_extmark(view.place.bufnr, state.namespace, view.place.mark)
      end
    end,
  })
end

local opened = 0

---Opens a window with an answer.
---@param opts ambit.ContextOptions the question
---@param result ambit.ContextResult
---@param layout ambit.Layout?
---@param mods string? of the command
---@return integer bufnr
function M.open(opts, result, layout, mods)
  require('ambit.view.colors').define()
  local view = new_view(opts, result)
  local title = state.title(view)
  local bufnr = api.nvim_create_buf(false, true)
  opened = opened + 1
  api.nvim_buf_set_name(bufnr, ('ambit://context/%d/%s'):format(opened, (title:gsub('[\n/\\]', ' '))))
  state.views[bufnr] = view
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].swapfile = false
  watch(bufnr, view)
  local winid = open_window(layout, mods, bufnr, title)
  vim.bo[bufnr].filetype = ({ markdown = 'markdown', xml = 'xml' })[result.format] or ''
  require('ambit.view.keys').map(bufnr, view) -- after the file type plugin, which maps ]] for Markdown
  local w = vim.wo[winid][0]
  w.foldmethod = 'expr'
  w.foldexpr = "v:lua.require'ambit.view.render'.foldexpr()"
  w.foldtext = "v:lua.require'ambit.view.render'.foldtext()"
  w.foldlevel, w.foldenable, w.conceallevel, w.wrap = 99, true, 0, false
  w.winhighlight = 'Folded:AmbitFold'
  w.number, w.relativenumber, w.signcolumn, w.spell = false, false, 'no', false
  require('ambit.view.render').answer(bufnr)
  api.nvim_win_set_cursor(winid, { 1, 0 })
  return bufnr
end

---Returns the context in the current window, or else in another window of the tab page.
---@return ambit.View?
function M.current()
  local here = state.views[api.nvim_get_current_buf()]
  if here then
    return here
  end
  for _, winid in ipairs(api.nvim_tabpage_list_wins(0)) do
    local view = state.views[api.nvim_win_get_buf(winid)]
    if view then
      return view
    end
  end
end

return M
