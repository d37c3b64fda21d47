---Choosing among places, with the picker that the user has. A backend has
---`available()`, `pick(title, result)` and `live(opts)`; those of other plugins search
---as one types.
local M = {}

---In the order of preference.
local backends = { 'snacks', 'telescope', 'fzf-lua', 'select' }

---@class ambit.Backend
---@field available fun(): boolean
---@field pick fun(title: string, result: ambit.SearchResult)
---@field live fun(opts: ambit.SearchOptions)

---@return ambit.Backend
function M.backend()
  local chosen = require('ambit').options.picker
  for _, name in ipairs(chosen and { chosen } or backends) do
    local backend = require('ambit.pickers.' .. name) ---@type ambit.Backend
    if backend.available() then
      return backend
    end
  end
  return require('ambit.pickers.select')
end

---Lets the user choose one of the places and goes there.
---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  M.backend().pick(title, result)
end

---Lets the user type a question and choose among its answers.
---@param opts ambit.SearchOptions|{query: string?}
function M.live(opts)
  M.backend().live(opts)
end

return M
