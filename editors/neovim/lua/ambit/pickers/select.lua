---vim.ui.select and vim.ui.input, which need no plugin.
local M = {}

function M.available()
  return true
end

---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  local places = require('ambit.places')
  vim.ui.select(result.results, { prompt = title, kind = 'ambit', format_item = places.label }, function(match)
    if match then
      places.jump(match, result.offset_encoding)
    end
  end)
end

---@param opts ambit.SearchOptions
function M.live(opts)
  vim.ui.input({ prompt = 'Search: ' }, function(query)
    if query and query ~= '' then
      require('ambit.actions').search(vim.tbl_extend('force', opts, { query = query }))
    end
  end)
end

return M
