---Draws a context window: text, bar, marks and folds.
local M = {}

local api = vim.api
local state = require('ambit.view.state')

---Returns the bar above the text.
---@param view ambit.View
---@return string
local function bar(view)
  local r = view.result
  local parts = {} -- in a narrow window the end is cut off, by %<
  if view.stale then
    parts[1] = '%#AmbitStale#out of date, press r%*'
  end
  if r.freshness.pending > 0 then
    parts[#parts + 1] = ('%%#AmbitStale#%d files not indexed yet%%*'):format(r.freshness.pending)
  end
  vim.list_extend(parts, {
    (r.symbol and r.symbol.identifier or view.opts.query or ''):gsub('%%', '%%%%'),
    ('%d of %d tokens'):format(r.tokens, r.budget),
    ('%d sources'):format(#r.sources),
  })
  if #view.pin > 0 then
    parts[#parts + 1] = ('%d pinned'):format(#view.pin)
  end
  if #view.drop > 0 then
    parts[#parts + 1] = ('%d dropped'):format(#view.drop)
  end
  return ' ambit  ' .. table.concat(parts, ' · ') .. '%<%=? help '
end

---Draws the bar.
---@param bufnr integer
function M.bar(bufnr)
  for _, winid in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.wo[winid][0].winbar = bar(state.views[bufnr])
  end
end

---Draws the latest answer of a view.
---@param bufnr integer
function M.answer(bufnr)
  local view = state.views[bufnr]
  view.stale = false
  local text = vim.split((view.result.text:gsub('\n$', '')), '\n', { plain = true })
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, text)
  vim.bo[bufnr].modifiable = false
  require('ambit.view.colors').code(bufnr, view.result)
  api.nvim_buf_clear_namespace(bufnr, state.namespace, 0, -1)
  for _, source in ipairs(view.result.sources) do
    if source.text_lines and vim.list_contains(view.pin, source.id) then
      api.nvim_buf_set_extmark(bufnr, state.namespace, source.text_lines[1] - 1, 0, {
        virt_text = { { 'pinned', 'AmbitPinned' } },
        virt_text_pos = 'right_align',
      })
    end
  end
  M.bar(bufnr)
  for _, winid in ipairs(vim.fn.win_findbuf(bufnr)) do
    api.nvim_win_call(winid, function()
      vim.cmd('normal! zx')
    end)
  end
end

---Returns the fold level of a line, for 'foldexpr'.
---@return string
function M.foldexpr()
  local view = state.views[api.nvim_get_current_buf()]
  local source = view and state.source_at(view, vim.v.lnum)
  if not source then
    return '0'
  end
  return source.text_lines[1] == vim.v.lnum and '>1' or '1'
end

---Returns the text of a closed fold, for 'foldtext'.
---@return string
function M.foldtext()
  local view = state.views[api.nvim_get_current_buf()]
  local source = view and state.source_at(view, vim.v.foldstart)
  if not source then
    return vim.fn.foldtext()
  end
  return ('%s  %d tokens, %s '):format(require('ambit.places').label(source), source.tokens, source.section)
end

return M
