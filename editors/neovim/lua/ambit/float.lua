---A floating window with text that `q` closes.
local M = {}

local api = vim.api

---@param title string
---@param lines string[]
---@return vim.api.keyset.win_config
local function place(title, lines)
  local width = #title + 4
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.min(width, math.max(vim.o.columns - 4, 1))
  local height = math.min(#lines, math.max(vim.o.lines - 6, 1))
  return {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.floor((vim.o.columns - width) / 2),
    style = 'minimal',
    border = 'rounded',
    title = ' ' .. title .. ' ',
    title_pos = 'center',
  }
end

---@param bufnr integer
---@param lines string[]
local function write(bufnr, lines)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
end

---Opens a window.
---@param title string
---@param lines string[]
---@return integer winid
function M.open(title, lines)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  write(bufnr, lines)
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, '<Cmd>close<CR>', { buffer = bufnr, nowait = true })
  end
  return api.nvim_open_win(bufnr, true, place(title, lines))
end

---Replaces the text of a window.
---@param winid integer
---@param title string
---@param lines string[]
function M.set(winid, title, lines)
  write(api.nvim_win_get_buf(winid), lines)
  api.nvim_win_set_config(winid, place(title, lines))
end

return M
