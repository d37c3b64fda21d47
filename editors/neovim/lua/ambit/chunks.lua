---Shows the chunks of a buffer: a line of virtual text above each chunk.
local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('ambit.chunks')
local groups = {} ---@type table<integer, integer> groups of autocommands, by buffer

---@param bufnr integer
local function hide(bufnr)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  if groups[bufnr] then
    api.nvim_del_augroup_by_id(groups[bufnr])
    groups[bufnr] = nil
  end
end

---@param bufnr integer
---@param result ambit.ChunksResult
local function show(bufnr, result)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local last = api.nvim_buf_line_count(bufnr)
  for _, chunk in ipairs(result.chunks) do
    local section = chunk.section and '#' .. chunk.section or ''
    local label = ('%s%s  %s%s, %d tokens'):format(
      chunk.identifier,
      section,
      chunk.summary and 'summary of ' or '',
      chunk.kind,
      chunk.tokens
    )
    api.nvim_buf_set_extmark(bufnr, namespace, math.min(chunk.start_line, last) - 1, 0, {
      virt_lines = { { { '── ' .. label, 'AmbitChunk' } } },
      virt_lines_above = true,
    })
  end
end

---Shows the chunks of the current buffer, or hides them. Updates them after each change.
function M.toggle()
  local bufnr = api.nvim_get_current_buf()
  if groups[bufnr] then
    return hide(bufnr)
  end
  local function ask()
    require('ambit').chunks({ bufnr = bufnr }, function(err, result)
      if not groups[bufnr] then
        return
      elseif not result then
        hide(bufnr)
        return require('ambit.notify').error(err)
      end
      show(bufnr, result)
    end)
  end
  require('ambit.view.colors').define()
  groups[bufnr] = api.nvim_create_augroup('ambit.chunks.' .. bufnr, {})
  api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged', 'BufWritePost' }, { group = groups[bufnr], buffer = bufnr, callback = ask })
  api.nvim_create_autocmd('BufUnload', {
    group = groups[bufnr],
    buffer = bufnr,
    callback = function()
      hide(bufnr)
    end,
  })
  ask()
end

return M
