-- fzf-lua itself.
-- needs: plugin fzf-lua-9ad7340dcc6d2afc30e64fb4088597c7573ed62c
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')

vim.cmd.cd(t.home .. '/shop')

---Types into the terminal of fzf.
---@param keys string
local function press(keys)
  vim.fn.chansend(vim.bo.channel, vim.api.nvim_replace_termcodes(keys, true, true, true))
end

---Returns the terminal's text once it has one.
---@param part string
local function shows(part)
  t.wait(part, function()
    return vim.bo.buftype == 'terminal' and t.text():find(part, 1, true)
  end)
  return t.text()
end

---Opens the live search with a match selected.
local function search()
  t.edit('shop/item.go')
  t.ready()
  vim.cmd('Ambit search')
  shows('ambit>')
  press('Cart.Total')
  return shows('Cart.Total  (method)')
end

t.test('a match has its path once', function()
  t.eq('fzf-lua', require('ambit.pickers').name())
  local line = search():match('[^\n]*Cart%.Total  %(method%)')
  t.has('cart.go:6:', line)
  t.eq(1, select(2, line:gsub('cart%.go', '')))
  press('<Esc>')
  t.wait('the end', function()
    return vim.bo.buftype == ''
  end)
end)

t.test('the keys of fzf-lua open the match, in a split too', function()
  for key, windows in pairs({ ['\r'] = 1, ['\22'] = 2 }) do -- Enter and Ctrl-V
    search()
    vim.fn.chansend(vim.bo.channel, key)
    t.wait('the place', function()
      return vim.fn.expand('%:t') == 'cart.go' and vim.fn.line('.') == 6
    end)
    t.eq(windows, #vim.api.nvim_list_wins())
    vim.cmd.only()
  end
end)

t.test('related places are listed', function()
  t.edit('shop/cart.go', ') Total')
  vim.cmd('Ambit related')
  shows('priceOf  (function')
  press('<Esc>')
  t.wait('the end', function()
    return vim.bo.buftype == ''
  end)
end)

t.done()
