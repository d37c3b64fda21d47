---A live search without another plugin: a line to type into, with the matches below it.
local M = {}

local api = vim.api
local places = require('ambit.places')

---How many matches are shown.
local ROWS = 15

---@class ambit.Live
---@field input integer buffer
---@field list integer buffer
---@field windows integer[] of both
---@field result ambit.SearchResult?

---Opens the two windows. The keyboard is in the line.
---@return ambit.Live
local function open()
  local width = math.max(math.min(vim.o.columns - 4, 100), 10)
  local rows = math.max(math.min(ROWS, vim.o.lines - 8), 1)
  local at = { relative = 'editor', width = width, col = math.floor((vim.o.columns - width) / 2), style = 'minimal', border = 'rounded' }
  local top = math.max(math.floor((vim.o.lines - rows - 5) / 2), 0)
  local function window(enter, row, height, title)
    local bufnr = api.nvim_create_buf(false, true)
    vim.bo[bufnr].bufhidden = 'wipe'
    local config = vim.tbl_extend('force', at, { row = row, height = height, title = title })
    return bufnr, api.nvim_open_win(bufnr, enter, config)
  end
  local list, list_win = window(false, top + 3, rows)
  vim.wo[list_win].cursorline = true
  local input, input_win = window(true, top, 1, ' ambit ')
  vim.bo[input].filetype = 'ambit-search' -- completion plugins know it by that
  return { input = input, list = list, windows = { input_win, list_win } }
end

---Moves the selection.
---@param live ambit.Live
---@param step integer
local function move(live, step)
  local win = live.windows[2]
  local row = api.nvim_win_get_cursor(win)[1] + step
  api.nvim_win_set_cursor(win, { math.min(math.max(row, 1), api.nvim_buf_line_count(live.list)), 0 })
end

---Closes the windows.
---@param live ambit.Live
local function close(live)
  vim.cmd.stopinsert()
  for _, win in ipairs(live.windows) do
    if api.nvim_win_is_valid(win) then
      api.nvim_win_close(win, true)
    end
  end
end

---Goes to the selected match.
---@param live ambit.Live
---@param split string? the command that opens a window first
local function go(live, split)
  local result = live.result
  local match = result and result.results[api.nvim_win_get_cursor(live.windows[2])[1]]
  if match then
    close(live)
    if split then
      vim.cmd(split)
    end
    places.jump(match, result.offset_encoding)
  end
end

---The keys, in both modes of the line.
---@type table<string, fun(live: ambit.Live)>
local keys = {
  ['<Down>'] = function(live)
    move(live, 1)
  end,
  ['<Up>'] = function(live)
    move(live, -1)
  end,
  ['<CR>'] = go,
  ['<C-x>'] = function(live)
    go(live, 'split')
  end,
  ['<C-v>'] = function(live)
    go(live, 'vsplit')
  end,
  ['<C-t>'] = function(live)
    go(live, 'tab split')
  end,
  ['<C-q>'] = function(live)
    local result = live.result
    if result and #result.results > 0 then
      close(live)
      places.quickfix('search', result.results, result.offset_encoding)
    end
  end,
  ['<C-c>'] = close,
}
keys['<C-n>'], keys['<C-p>'] = keys['<Down>'], keys['<Up>']

---Searches while the user types, and goes to the place that the user chooses.
---@param opts ambit.SearchOptions
function M.open(opts)
  local search = require('ambit.pickers').searcher(opts)
  local live = open()
  local function show(result)
    if not api.nvim_buf_is_valid(live.list) then
      return
    end
    live.result = result
    local lines = vim.tbl_map(function(match)
      return (places.label(match):gsub('\n', ' '))
    end, result and result.results or {})
    api.nvim_buf_set_lines(live.list, 0, -1, false, lines)
    api.nvim_win_set_cursor(live.windows[2], { 1, 0 })
  end
  local cancel = function() end
  api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    buffer = live.input,
    callback = function()
      cancel()
      local query = vim.trim(api.nvim_buf_get_lines(live.input, 0, 1, false)[1])
      if query == '' then
        return show()
      end
      cancel = search(query, show)
    end,
  })
  api.nvim_create_autocmd('WinLeave', {
    buffer = live.input,
    once = true,
    callback = function()
      cancel()
      vim.schedule(function()
        close(live)
      end)
    end,
  })
  for key, action in pairs(keys) do
    vim.keymap.set({ 'n', 'i' }, key, function()
      action(live)
    end, { buffer = live.input, nowait = true })
  end
  vim.keymap.set('n', '<Esc>', function()
    close(live)
  end, { buffer = live.input, nowait = true })
  vim.cmd.startinsert()
end

return M
