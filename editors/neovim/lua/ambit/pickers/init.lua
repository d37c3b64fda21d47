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

---The name of the backend that is used.
---@return string
function M.name()
  local chosen = require('ambit').options.picker
  for _, name in ipairs(chosen and { chosen } or backends) do
    if require('ambit.pickers.' .. name).available() then
      return name
    end
  end
  return 'select'
end

---@return ambit.Backend
local function backend()
  return require('ambit.pickers.' .. M.name())
end

---Lets the user choose one of the places and goes there.
---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  backend().pick(title, result)
end

---Lets the user type a question and choose among its answers.
---@param opts ambit.SearchOptions|{query: string?}
function M.live(opts)
  backend().live(opts)
end

return M
