---Labels and positions of sources and matches.
local M = {}

local api = vim.api

---A source of an answer or a match of a search.
---@alias ambit.Found ambit.Source|ambit.Match

---Returns the title of an answer: its symbol, or else its query.
---@param result ambit.ContextResult
---@param query string?
---@return string
function M.title(result, query)
  return result.symbol and result.symbol.identifier or query or 'context'
end

---Returns the name of a place and what it is.
---@param found ambit.Found
---@param where string? between the two
---@return string
function M.name(found, where)
  local role = found.role and found.role ~= '' and ', ' .. found.role or ''
  local section = found.unit_section and '#' .. found.unit_section or ''
  return ('%s%s  %s(%s%s)'):format(found.identifier, section, where or '', found.kind, role)
end

---@param found ambit.Found
---@return string
function M.label(found)
  return M.name(found, ('%s:%d  '):format(found.path, found.start_line))
end

---Fills a buffer with the text of a source in an archive, which the server has.
---@param bufnr integer
function M.read(bufnr)
  local uri = api.nvim_buf_get_name(bufnr)
  local text, err = require('ambit.client').content(uri)
  if not text then
    require('ambit.notify').error(err)
    return
  end
  api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split((text:gsub('\n$', '')), '\r?\n'))
  vim.bo[bufnr].buftype, vim.bo[bufnr].swapfile = 'nofile', false
  vim.bo[bufnr].modified, vim.bo[bufnr].modifiable, vim.bo[bufnr].readonly = false, false, true
  vim.bo[bufnr].filetype = vim.filetype.match({ filename = uri }) or ''
end

---Returns the buffer of a place, and its position as |nvim_win_set_cursor()| takes it.
---@param found ambit.Found
---@param offset_encoding string
---@return integer bufnr
---@return integer[] position
function M.position(found, offset_encoding)
  local client = require('ambit.client')
  local bufnr = client.buffer(found.uri)
  vim.fn.bufload(bufnr)
  if found.package then -- a change would be in every project that uses the dependency
    vim.bo[bufnr].readonly, vim.bo[bufnr].modifiable = true, false
  end
  return bufnr, client.cursor(offset_encoding, bufnr, found.range.start)
end

---Returns the file, line and column of a place, for the previews of pickers.
---@param found ambit.Found
---@param offset_encoding string
---@return string filename
---@return integer line from 1
---@return integer column from 1
function M.file(found, offset_encoding)
  local bufnr = require('ambit.client').buffer(found.uri)
  if not api.nvim_buf_is_loaded(bufnr) then -- loading each file for its column would be slow
    return api.nvim_buf_get_name(bufnr), found.start_line, 1
  end
  local position = require('ambit.client').cursor(offset_encoding, bufnr, found.range.start)
  return api.nvim_buf_get_name(bufnr), position[1], position[2] + 1
end

---The file types and buffer types of windows without code.
local NO_CODE = { help = true, quickfix = true, terminal = true, prompt = true, netrw = true }

---Adds the buffer and the position of the cursor to the options, unless they have a position.
---In a context window it is the place of the source under the cursor.
---@generic T: ambit.Place
---@param opts T
---@return T?
---@return string? err
function M.here(opts)
  if opts.position then
    return opts
  end
  local bufnr, position = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)
  local state = require('ambit.view.state')
  local view = state.views[bufnr]
  if view and not opts.query then
    local source = state.source_at(view, position[1])
    if not source then
      return nil, 'there is no source under the cursor'
    end
    bufnr, position = M.position(source, view.result.offset_encoding)
  elseif not opts.query and (NO_CODE[vim.bo[bufnr].buftype] or NO_CODE[vim.bo[bufnr].filetype]) then
    return nil, 'this window shows no code; go to one that does, or ask in words'
  end
  return vim.tbl_extend('force', opts, { bufnr = bufnr, position = position })
end

---Goes to a place in the current window, and adds an entry to the jump list.
---@param found ambit.Found
---@param offset_encoding string
---@param row integer? another line of the file
function M.jump(found, offset_encoding, row)
  local bufnr, position = M.position(found, offset_encoding)
  vim.cmd("normal! m'")
  vim.bo[bufnr].buflisted = true
  api.nvim_win_set_buf(0, bufnr)
  api.nvim_win_set_cursor(0, row and { row, 0 } or position)
  vim.cmd('normal! zv')
end

---Fills the quickfix list and opens it.
---@param title string
---@param all ambit.Found[]
---@param offset_encoding string
function M.quickfix(title, all, offset_encoding)
  local items = vim.tbl_map(function(found)
    if found.package then
      M.position(found, offset_encoding) -- loads the file, as the quickfix window does not make it read-only
    end
    local _, lnum, col = M.file(found, offset_encoding)
    return {
      bufnr = require('ambit.client').buffer(found.uri),
      lnum = lnum,
      col = col,
      end_lnum = found.end_line,
      text = M.label(found),
    }
  end, all)
  vim.fn.setqflist({}, ' ', { title = 'ambit: ' .. title, items = items })
  vim.cmd('botright copen')
end

return M
