-- needs: sources
-- All kinds of buffers, several servers, folders and tabs.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local ambit = require('ambit')
local api = vim.api

local function clients()
  return vim.lsp.get_clients({ name = 'ambit' })
end

t.test('answers include unsaved text', function()
  local bufnr = t.edit('shop/item.go', '^func priceOf')
  t.ready()
  api.nvim_buf_set_lines(bufnr, -1, -1, false, { '', '// rebate lowers the price.', 'func rebate(i Item) int { return priceOf(i) / 2 }' })
  local err, result = ambit.context({ position = { 10, 5 } })
  t.eq(nil, err)
  t.eq('rebate', result.symbol.identifier)
  t.has('rebate lowers the price', result.text)
  err, result = ambit.search({ query = 'rebate' })
  t.eq(nil, err)
  t.eq('item.go', result.results[1].path)
  vim.cmd('silent undo')
end)

t.test('two buffers without a name have a context', function()
  vim.cmd.enew()
  vim.bo.filetype = 'go'
  local first = api.nvim_get_current_buf()
  api.nvim_buf_set_lines(first, 0, -1, false, { 'package shop', '', 'func unnamed() int { return 1 }' })
  vim.cmd.new()
  vim.bo.filetype = 'python'
  local second = api.nvim_get_current_buf()
  api.nvim_buf_set_lines(second, 0, -1, false, { 'def nameless():', '    return 2' })
  local err, result = ambit.context({ bufnr = first, position = { 3, 6 } })
  t.eq(nil, err)
  t.eq('unnamed', result.symbol.identifier)
  err, result = ambit.context({ bufnr = second, position = { 1, 5 } })
  t.eq(nil, err)
  t.eq('nameless', result.symbol.identifier)
  t.eq(1, #clients()) -- the server of the working directory
  -- The places of the answer are in the buffer.
  require('ambit.places').jump(result.sources[1], result.offset_encoding)
  t.eq(second, api.nvim_get_current_buf())
  -- The server has closed the document.
  local _, found = ambit.search({ query = 'nameless' })
  for _, match in ipairs(found.results) do
    assert(not match.path:find('untitled'), match.path)
  end
  vim.cmd.close()
end)

t.test('two questions at once about an unnamed buffer', function()
  vim.cmd.enew()
  vim.bo.filetype = 'go'
  api.nvim_buf_set_lines(0, 0, -1, false, { 'package shop', '', 'func once() int { return 1 }' })
  local answers = {}
  for _ = 1, 2 do
    ambit.context({ position = { 3, 6 } }, function(err, result)
      table.insert(answers, err or result.symbol.identifier)
    end)
  end
  t.wait('both', function()
    return #answers == 2
  end)
  t.eq({ 'once', 'once' }, answers)
  -- To cancel an answered question does not disturb another question.
  local first, second
  local cancel = ambit.context({ position = { 3, 6 } }, function()
    first = true
  end)
  t.wait('the first', function()
    return first
  end)
  ambit.context({ position = { 3, 6 } }, function(_, result)
    second = result and result.symbol.identifier
  end)
  cancel()
  t.wait('the second', function()
    return second
  end)
  t.eq('once', second)
end)

t.test('a scratch buffer of another plugin has a context', function()
  local scratch = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(scratch, 'plugin://a/b')
  vim.bo[scratch].filetype = 'go'
  api.nvim_buf_set_lines(scratch, 0, -1, false, { 'package shop', '', 'func scratched() {}' })
  local err, result = ambit.context({ bufnr = scratch, position = { 3, 6 } })
  t.eq(nil, err)
  t.eq('scratched', result.symbol.identifier)
end)

t.test('a question in words works in an empty buffer', function()
  vim.cmd.enew()
  local err, result = ambit.context({ query = 'what is a cart?' })
  t.eq(nil, err)
  t.has('Cart', result.text)
end)

t.test('positions are in the encoding of the server', function()
  local bufnr = t.edit('shop/item.go')
  api.nvim_buf_set_lines(bufnr, -1, -1, false, { '', '/* 😀 größe */ func afterEmoji() int { return priceOf(Item{}) }' })
  local row = api.nvim_buf_line_count(bufnr)
  local line = api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1]
  local err, result = ambit.context({ position = { row, line:find('priceOf') - 1 } })
  t.eq(nil, err)
  t.eq('priceOf', result.symbol.identifier)
  vim.cmd('silent undo')
  local client = require('ambit.client')
  local other = { offset_encoding = 'utf-16' }
  vim.cmd.enew()
  api.nvim_buf_set_lines(0, 0, -1, false, { 'a😀ö x' })
  t.eq({ line = 0, character = 5 }, client.position(other, 0, 1, 8))
  t.eq({ 1, 8 }, client.cursor('utf-16', 0, { line = 0, character = 5 }))
  t.eq({ line = 0, character = 4 }, client.position({ offset_encoding = 'utf-32' }, 0, 1, 8))
  t.eq({ 1, 8 }, client.cursor('utf-32', 0, { line = 0, character = 4 }))
  t.eq({ line = 0, character = 8 }, client.position({ offset_encoding = 'utf-8' }, 0, 1, 8))
  t.eq({ 1, 9 }, client.cursor('utf-16', 0, { line = 7, character = 99 }))
end)

t.test('two workspaces have a server each', function()
  t.edit('shop/cart.go', ') Total')
  t.edit('ambit/indexer/chunk/chunk.go', '^func Split')
  t.ready()
  t.eq(2, #clients())
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Split', result.symbol.identifier)
  t.edit('shop/cart.go', ') Total')
  err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
end)

t.test(':cd and other tabs change nothing', function()
  t.edit('shop/cart.go', ') Total')
  local shop = clients()
  vim.cmd.cd('/')
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
  vim.cmd.tabnew()
  vim.cmd.tcd(t.home .. '/ambit')
  t.edit('shop/item.go', '^func priceOf')
  err, result = ambit.context()
  t.eq(nil, err)
  t.eq('priceOf', result.symbol.identifier)
  vim.cmd.enew() -- belongs to the workspace of the working directory
  err, result = ambit.search({ query = 'Split cuts a file' })
  t.eq(nil, err)
  t.eq('indexer/chunk/chunk.go', result.results[1].path)
  t.eq(#shop, #clients())
  vim.cmd.tabclose()
  vim.cmd.cd(t.home .. '/shop')
end)

t.test('other language servers get no requests', function()
  local bufnr = t.edit('shop/cart.go', ') Total')
  local methods = {}
  local id = vim.lsp.start({
    name = 'another',
    root_dir = t.home .. '/shop',
    cmd = function()
      return {
        request = function(method, _, callback)
          table.insert(methods, method)
          vim.schedule(function()
            callback(nil, method == 'initialize' and { capabilities = { hoverProvider = true, positionEncoding = 'utf-16' } } or vim.NIL)
          end)
          return true, 1
        end,
        notify = function()
          return true
        end,
        is_closing = function()
          return false
        end,
        terminate = function() end,
      }
    end,
  }, { bufnr = bufnr })
  t.wait('the other', function()
    return vim.lsp.get_clients({ bufnr = bufnr, name = 'another' })[1]
  end)
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
  t.eq(2, #vim.lsp.get_clients({ bufnr = bufnr }))
  t.eq({ 'initialize' }, methods)
  vim.lsp.stop_client(id, true)
end)

t.test('a file in no workspace has a context', function()
  vim.fn.writefile({ 'def lonely():', '    return 1' }, t.home .. '/lonely.py')
  t.edit('lonely.py')
  local err, result = ambit.context({ position = { 1, 5 } })
  t.eq(nil, err)
  t.eq('lonely', result.symbol.identifier)
end)

t.test('a file that is not saved yet', function()
  t.edit('shop/new.go')
  api.nvim_buf_set_lines(0, 0, -1, false, { 'package shop', '', 'func brandNew() int { return priceOf(Item{}) }' })
  local err, result = ambit.context({ position = { 3, 6 } })
  t.eq(nil, err)
  t.eq('brandNew', result.symbol.identifier)
end)

t.done()
