-- The extension in codecompanion 18, which is older than what it needs.
-- needs: nvim12
-- needs: plugin plenary.nvim-v0.1.4
-- needs: plugin codecompanion.nvim-v18.7.0
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')

t.edit('shop/cart.go')
t.ready()

t.test('one message names the version and the next step', function()
  require('codecompanion').setup({ extensions = { ambit = {} } })
  local VERSION = '18.7.0'
  t.eq(
    ('ambit: codecompanion %s has no shared editor context, which ambit needs; update it to version 19 or later'):format(VERSION),
    t.notices()
  )
end)

t.done()
