---The state of the context windows.
local M = {}

---@class ambit.View
---@field opts ambit.ContextOptions the question
---@field place {bufnr: integer, mark: integer}? the place of the question; nil for a question in words
---@field result ambit.ContextResult
---@field pin string[] ids
---@field drop string[] ids
---@field cancel fun()? cancels the running request
---@field stale boolean? whether the server has another answer
---@field checks integer how many checks for another answer were scheduled

---The views by buffer.
M.views = {} ---@type table<integer, ambit.View>

---The namespace of the marks of places and pins.
M.namespace = vim.api.nvim_create_namespace('ambit.view')

---Returns the source that a line of the text shows.
---@param view ambit.View
---@param row integer
---@return ambit.Source?
function M.source_at(view, row)
  for _, source in ipairs(view.result.sources) do
    local lines = source.text_lines
    if lines and lines[1] <= row and row <= lines[2] then
      return source
    end
  end
end

---Returns the title of a context.
---@param view ambit.View
---@return string
function M.title(view)
  return require('ambit.places').title(view.result, view.opts.query)
end

return M
