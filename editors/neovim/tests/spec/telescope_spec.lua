-- telescope itself.
-- needs: plugin plenary.nvim-v0.1.4
-- needs: plugin telescope.nvim-v0.2.2
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local state = require('telescope.actions.state')

---Waits until the picker's first entry is a match.
---@param identifier string
---@return integer prompt
local function found(identifier)
  t.wait(identifier, function()
    local picker = vim.bo.filetype == 'TelescopePrompt' and state.get_current_picker(vim.api.nvim_get_current_buf())
    local entry = picker and picker.manager and picker.manager:get_entry(1)
    return entry and entry.value.identifier == identifier and state.get_selected_entry()
  end)
  return vim.api.nvim_get_current_buf()
end

---Opens the live search with a match selected.
---@return integer prompt
local function search()
  t.edit('shop/item.go')
  t.ready()
  vim.cmd('Telescope ambit')
  t.wait('the prompt', function()
    return vim.bo.filetype == 'TelescopePrompt'
  end)
  state.get_current_picker(vim.api.nvim_get_current_buf()):set_prompt('Cart.Total')
  return found('Cart.Total')
end

t.test('its own actions open the match, and fill the quickfix list with text', function()
  local actions = require('telescope.actions')
  require('telescope').load_extension('ambit')
  t.eq('telescope', require('ambit.pickers').name())
  for name, windows in pairs({ select_default = 1, select_vertical = 2 }) do
    actions[name](search())
    t.eq({ 'cart.go', windows }, { vim.fn.expand('%:t'), #vim.api.nvim_list_wins() })
    t.has('Total', vim.api.nvim_get_current_line())
    vim.cmd.only()
  end
  actions.send_to_qflist(search())
  t.has('Cart.Total', vim.fn.getqflist()[1].text)
end)

t.test('related places are listed', function()
  t.edit('shop/cart.go', ') Total')
  vim.cmd('Ambit related')
  t.wait('the list', function()
    return vim.bo.filetype == 'TelescopePrompt' and state.get_selected_entry()
  end)
  require('telescope.actions').close(vim.api.nvim_get_current_buf())
end)

t.done()
