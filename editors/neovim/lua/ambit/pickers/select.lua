---vim.ui.select, and a live search of our own, which need no plugin.
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
  require('ambit.pickers.live').open(opts)
end

return M
