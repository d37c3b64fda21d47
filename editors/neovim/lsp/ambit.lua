-- The configuration of the client for `ambit lsp`. `vim.lsp.enable('ambit')` reads it, and
-- `vim.lsp.config('ambit', { … })` overrides its fields.

---Returns the program: that on the PATH, or else the one that `make build` made in the checkout
---of the plugin, or else the one of `:Ambit install`.
---@return string
local function program()
  local file = vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2)) or ''
  local built = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(file)))) .. '/bin/ambit'
  for _, path in ipairs({ 'ambit', built, vim.fn.stdpath('data') .. '/ambit/bin/ambit' }) do
    if vim.fn.executable(path) == 1 then
      return path
    end
  end
  return 'ambit'
end

---@type vim.lsp.Config
return {
  cmd = { program(), 'lsp' },
  -- No filetypes: ambit serves all of them, beside the server of the language.
  root_markers = {
    '.git',
    'go.work',
    'go.mod',
    'package.json',
    'pyproject.toml',
    'setup.py',
    'Cargo.toml',
    'pom.xml',
    'build.gradle',
    'build.gradle.kts',
    'Gemfile',
    'composer.json',
    'CMakeLists.txt',
    'compile_commands.json',
    'mix.exs',
    '.ambit.toml',
  },
  -- The file of a dependency has the workspace from which it was opened.
  reuse_client = function(...)
    return require('ambit.client').serves(...)
  end,
  init_options = {
    statusNotifications = true,
    clientCommands = { 'ambit.copyContext', 'ambit.showRelated' },
  },
  handlers = {
    ['ambit/status'] = function(_, params, ctx)
      require('ambit.status').on_status(params, ctx.client_id)
    end,
    ['textDocument/hover'] = vim.fn.has('nvim-0.11') == 0 and function(...)
      require('ambit.hover').handler(...)
    end or nil,
  },
  on_exit = vim.schedule_wrap(function(_, _, client_id)
    require('ambit.client').on_exit(client_id)
  end),
  -- The commands of the code actions.
  commands = {
    ['ambit.copyContext'] = function(command, ctx)
      require('ambit.actions').copy(command.arguments[1], ctx)
    end,
    ['ambit.showRelated'] = function(command, ctx)
      require('ambit.actions').related(command.arguments[1], ctx)
    end,
  },
}
