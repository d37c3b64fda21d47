---Messages to the user.
local M = {}

---@param message string
function M.info(message)
  vim.notify('ambit: ' .. message, vim.log.levels.INFO)
end

---@param message string? "no answer" by default
function M.error(message)
  vim.notify('ambit: ' .. (message or 'no answer'), vim.log.levels.ERROR)
end

return M
