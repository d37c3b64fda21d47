---@brief [[
---The event `User AmbitStatus` fires when the state of an index changes. Its `data` is an
---|ambit.Status| with a `client_id`. |LspProgress| and |vim.lsp.status()| have the
---progress. >lua
---    vim.api.nvim_create_autocmd('User', {
---      pattern = 'AmbitStatus',
---      callback = function(ev) print(ev.data.state, ev.data.pending) end,
---    })
---<
---@brief ]]

---The states of the indexes, from the notification `ambit/status`.
local M = {}

local api = vim.api

---The latest status of each folder by client.
local latest = {} ---@type table<integer, table<string, ambit.Status>>

---Remembers a status and fires `User AmbitStatus` with it.
---@param params ambit.Status
---@param client_id integer
function M.on_status(params, client_id)
  latest[client_id] = latest[client_id] or {}
  latest[client_id][params.folder] = params
  api.nvim_exec_autocmds('User', {
    pattern = 'AmbitStatus',
    modeline = false,
    data = vim.tbl_extend('force', { client_id = client_id }, params),
  })
  vim.cmd.redrawstatus({ bang = true })
end

---Returns the status of the folder of a buffer.
---@param bufnr integer
---@return ambit.Status?
function M.of(bufnr)
  local client = vim.lsp.get_clients({ name = 'ambit', bufnr = bufnr })[1]
  local folders = client and latest[client.id] or {}
  return folders[client and client.workspace_folders and client.workspace_folders[1].uri or ''] or (select(2, next(folders)))
end

---@param bufnr integer
---@return string
function M.line(bufnr)
  local status = M.of(bufnr)
  if not status then
    return ''
  elseif status.state == 'indexing' and status.pending > 0 then
    return ('ambit %d left'):format(status.pending)
  end
  return 'ambit ' .. status.state
end

return M
