---The keys of a context window.
local M = {}

local api = vim.api
local ask = require('ambit.view.ask')
local notify = require('ambit.notify')
local state = require('ambit.view.state')

---The keys, their help, and the names of their actions.
M.keys = {
  { 'gf', 'open the source at the line under the cursor', 'jump' },
  { '<CR>', 'the same', 'jump' },
  { 'y', 'copy the text to the clipboard and the unnamed register; yanks in visual mode', 'copy' },
  { '+', 'increase the budget; takes a count', 'more' },
  { '-', 'decrease the budget; takes a count', 'less' },
  { 'x', 'drop the source', 'drop' },
  { 'p', 'pin the source, or unpin it', 'pin' },
  { 'u', 'undo the last drop', 'undrop' },
  { 'e', 'explain the source', 'explain' },
  { 'Q', 'put the sources into the quickfix list', 'quickfix' },
  { 'r', 'ask again', 'refresh' },
  { ']]', 'go to the next source', 'next' },
  { '[[', 'go to the previous source', 'previous' },
  { 'za', 'fold the source; all fold commands work', nil },
  { 'q', 'close the window', 'close' },
  { '?', 'show this help', 'help' },
}

---The budgets that the server allows, in tokens.
local BUDGET = { least = 200, most = 2000000 }

---Removes an id from a list. Returns whether the list had it.
---@param list string[]
---@param id string
---@return boolean
local function remove(list, id)
  for i, other in ipairs(list) do
    if other == id then
      table.remove(list, i)
      return true
    end
  end
  return false
end

---Returns the source under the cursor, or shows an error.
---@param view ambit.View
---@return ambit.Source?
local function source_here(view)
  local source = state.source_at(view, api.nvim_win_get_cursor(0)[1])
  if not source then
    notify.error('there is no source under the cursor')
  end
  return source
end

---Returns the line of the source's file that a line of the text shows. It is the line with
---the same content; the nth of them when the text has n of them so far.
---@param view ambit.View
---@param bufnr integer
---@param source ambit.Source
---@param row integer
---@return integer? row
local function file_line(view, bufnr, source, row)
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

---Goes to the window for a source: the previous window, or a new one if the previous window
---cannot show another buffer. Closes a floating context.
local function enter_code_window()
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
end

---The actions by name. Each takes the buffer of the window and its view.
---@type table<string, fun(bufnr: integer, view: ambit.View)>
local actions = {}

function actions.jump(bufnr, view)
  local source = source_here(view)
  if not source then
    return
  end
  local line = file_line(view, bufnr, source, api.nvim_win_get_cursor(0)[1])
  enter_code_window()
  require('ambit.places').jump(source, view.result.offset_encoding, line)
end

function actions.copy(_, view)
  require('ambit.actions').to_clipboard(view.result)
end

---@param bufnr integer
---@param view ambit.View
---@param direction 1|-1
local function change_budget(bufnr, view, direction)
  local before = view.opts.budget
  local step = direction * require('ambit').options.budget_step * vim.v.count1
  view.opts.budget = math.min(math.max((before or view.result.budget) + step, BUDGET.least), BUDGET.most)
  ask.again(bufnr, function()
    view.opts.budget = before
  end)
end

function actions.more(bufnr, view)
  change_budget(bufnr, view, 1)
end

function actions.less(bufnr, view)
  change_budget(bufnr, view, -1)
end

function actions.drop(bufnr, view)
  local source = source_here(view)
  if not source then
    return
  end
  local pinned = remove(view.pin, source.id)
  table.insert(view.drop, source.id)
  ask.again(bufnr, function()
    remove(view.drop, source.id)
    if pinned then
      table.insert(view.pin, source.id)
    end
  end)
end

function actions.undrop(bufnr, view)
  local id = table.remove(view.drop)
  if not id then
    return notify.error('nothing is dropped')
  end
  ask.again(bufnr, function()
    table.insert(view.drop, id)
  end)
end

function actions.pin(bufnr, view)
  local source = source_here(view)
  if not source then
    return
  end
  local function toggle()
    if not remove(view.pin, source.id) then
      table.insert(view.pin, source.id)
    end
  end
  toggle()
  ask.again(bufnr, toggle)
end

function actions.explain(_, view)
  local source = source_here(view)
  if source then
    require('ambit.actions').show_explanation(source)
  end
end

function actions.quickfix(_, view)
  require('ambit.places').quickfix(state.title(view), view.result.sources, view.result.offset_encoding)
end

function actions.refresh(bufnr)
  ask.again(bufnr)
end

---Moves the cursor to the heading of another source.
---@param view ambit.View
---@param step 1|-1
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

---Maps the keys in the buffer of a view.
---@param bufnr integer
---@param view ambit.View
function M.map(bufnr, view)
  for _, key in ipairs(M.keys) do
    local lhs, help, action = key[1], key[2], actions[key[3]]
    if action then
      vim.keymap.set('n', lhs, function()
        action(bufnr, view)
      end, { buffer = bufnr, nowait = true, desc = 'ambit: ' .. help })
    end
  end
end

return M
