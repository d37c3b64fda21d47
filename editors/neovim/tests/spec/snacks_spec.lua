-- The picker of snacks itself.
-- needs: plugin snacks.nvim-v2.31.0
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
require('snacks').setup({ picker = { enabled = true } })

---Opens the live search with a match selected.
---@return table picker
local function search()
  t.edit('shop/item.go')
  t.ready()
  vim.cmd('Ambit search')
  local picker
  t.wait('the picker', function()
    picker = require('snacks').picker.get()[1]
    return picker
  end)
  picker.input:set(nil, 'Cart.Total')
  picker:find()
  t.wait('Cart.Total', function()
    local item = picker:current()
    return item and item.match and item.match.identifier == 'Cart.Total'
  end)
  return picker
end

t.test('its own actions open the match', function()
  t.eq('snacks', require('ambit.pickers').name())
  for name, windows in pairs({ confirm = 1, edit_vsplit = 2 }) do
    search():action(name)
    t.wait('the file', function()
      return vim.fn.expand('%:t') == 'cart.go'
    end)
    t.eq(windows, #vim.tbl_filter(function(win)
      return vim.api.nvim_win_get_config(win).relative == ''
    end, vim.api.nvim_list_wins()))
    vim.cmd('silent! only')
  end
  search():action('qflist')
  t.wait('the list', function()
    return #vim.fn.getqflist() > 0
  end)
  t.has('Cart.Total', vim.fn.getqflist()[1].text)
end)

t.done()
