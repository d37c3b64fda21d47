-- Defines :Ambit. The plugin loads its modules when the command is first used.
if vim.g.loaded_ambit then
  return
end
vim.g.loaded_ambit = 1

-- Sources of dependencies that lie in archives: the server has their text.
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = vim.api.nvim_create_augroup('ambit.archive', {}),
  pattern = 'ambit-context:/jar/*',
  callback = function(event)
    require('ambit.places').read(event.buf)
  end,
})

vim.api.nvim_create_user_command('Ambit', function(o)
  require('ambit.command').run(o)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Show the context of the symbol under the cursor',
  complete = function(lead, line, at)
    return require('ambit.command').complete(lead, line, at)
  end,
})
