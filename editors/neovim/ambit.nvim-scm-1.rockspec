-- The plugin as a rock, of the layout that `make neovim-plugin` makes. LuaRocks finds the modules in lua/.
rockspec_format = '3.0'
package = 'ambit.nvim'
version = 'scm-1'
source = { url = 'git+https://github.com/OWNER/ambit.nvim' }
description = {
  summary = 'The right pieces of code and prose for the symbol under the cursor, within a token budget',
  license = 'MIT',
  labels = { 'neovim' },
}
dependencies = { 'lua >= 5.1' }
build = { type = 'builtin', copy_directories = { 'doc', 'lsp', 'plugin' } }
