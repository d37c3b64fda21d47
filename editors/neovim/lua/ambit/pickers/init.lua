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

---How many matches a search shows while the user types.
local LIVE_LIMIT = 50

---Returns a function that searches for what the user has typed, in place of its earlier search.
---It calls back with the answer, nil when there is none, and shows each error once.
---@param opts ambit.SearchOptions
---@return fun(query: string, cb: fun(result: ambit.SearchResult?)): fun()
function M.searcher(opts)
  opts = vim.tbl_extend('keep', opts, { bufnr = vim.api.nvim_get_current_buf(), limit = LIVE_LIMIT })
  local cancel = function() end
  local shown ---@type string?
  return function(query, cb)
    cancel()
    cancel = require('ambit').search(vim.tbl_extend('force', opts, { query = query }), function(err, result)
      if err and err ~= shown then
        shown = err
        require('ambit.notify').error(err)
      end
      cb(result)
    end)
    return cancel
  end
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
