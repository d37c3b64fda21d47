---:checkhealth ambit
local M = {}

function M.check()
  local health = vim.health
  health.start('ambit: the command')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.10 or later is needed')
  end
  local client = require('ambit.client')
  local cmd = client.config().cmd
  local missing = client.missing(cmd --[[@as string[] ]])
  if missing then
    health.error(missing)
  elseif type(cmd) == 'table' then
    local out = vim.system({ cmd[1], 'version' }, { text = true }):wait(5000)
    if out.code == 0 then
      health.ok(('%s (%s)'):format(vim.trim(out.stdout), vim.fn.exepath(cmd[1])))
    else
      health.error(
        ('`%s version` ends with %d: %s'):format(cmd[1], out.code, vim.trim(out.stderr or '')),
        'Check that the command is ambit.'
      )
    end
  end

  health.start('ambit: the server')
  local clients = client.running()
  if #clients == 0 then
    health.info("not running; :Ambit starts it; require('ambit').setup() or vim.lsp.enable('ambit') attaches it to every file")
  end
  for _, c in ipairs(clients) do
    local root = c.config.root_dir and vim.fn.fnamemodify(c.config.root_dir, ':~') or 'files without a workspace'
    health.ok(('serves %s to %d buffers, positions in %s'):format(root, vim.tbl_count(c.attached_buffers), c.offset_encoding))
  end
  if #clients > 0 then
    local err, status = require('ambit').status({ timeout_ms = 20000 })
    for _, folder in ipairs(status and status.folders or {}) do
      local line = ('%s: %s, %d files, %d pending'):format(
        vim.fn.fnamemodify(folder.root, ':~'),
        folder.state,
        folder.files,
        folder.pending
      )
      if folder.state == 'error' then
        health.error(line .. ': ' .. folder.message)
      else
        health.ok(line)
      end
    end
    if err then
      health.error(err, 'See the log, ' .. require('vim.lsp.log').get_filename())
    end
  end

  health.start('ambit: other plugins')
  for _, name in ipairs({ 'snacks', 'telescope', 'fzf-lua' }) do
    if require('ambit.pickers.' .. name).available() then
      health.ok('live search with ' .. name)
    end
  end
  for module, name in pairs({ codecompanion = 'codecompanion', CopilotChat = 'CopilotChat', avante = 'avante' }) do
    if pcall(require, module) then
      health.ok(name .. ' is installed; :help ambit-adapters explains how it gets context from ambit')
    end
  end
  health.info('picker: ' .. require('ambit.pickers').name())
end

return M
