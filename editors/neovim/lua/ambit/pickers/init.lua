---Lists of places, in the picker that the user has installed.
local M = {}

---The backends in order of preference.
local backends = { 'snacks', 'telescope', 'fzf-lua', 'select' }

---@class ambit.Backend
---@field available fun(): boolean whether the plugin is installed
---@field pick fun(title: string, result: ambit.SearchResult)
---@field live fun(opts: ambit.SearchOptions) searches while the user types

---Returns the name of the backend in use.
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

---Lists places, and goes to the one that the user chooses.
---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  backend().pick(title, result)
end

---Searches while the user types, and goes to the place that the user chooses.
---@param opts ambit.SearchOptions|{query: string?}
function M.live(opts)
  backend().live(opts)
end

return M
