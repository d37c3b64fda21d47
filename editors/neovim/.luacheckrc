std = 'luajit'
read_globals = { 'vim' }
globals = { 'vim.bo', 'vim.wo', 'vim.o', 'vim.g', 'vim.env', 'vim.notify', 'vim.notify_once', 'vim.ui' }
ignore = { '212/_.*', '631' } -- arguments that start with _; StyLua limits the width of lines
files['tests/**/*.lua'] = { ignore = { '411', '421', '431' } } -- tests reuse the names err and result
