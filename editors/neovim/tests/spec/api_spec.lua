-- needs: sources
-- The Lua API, with the real server.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local ambit = require('ambit')

t.test('the first question starts the server', function()
  t.edit('shop/cart.go', ') Total')
  local err, result = ambit.context()
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
end)

t.ready()

t.test('context answers at the cursor, to a callback', function()
  local err, result = t.await(function(cb)
    ambit.context({ format = 'markdown' }, cb)
  end)
  t.eq(nil, err)
  t.eq('Cart.Total', result.symbol.identifier)
  t.eq('Cart.Total', result.sources[1].identifier)
  t.has('priceOf', result.text)
  t.eq(8000, result.budget)
  local lines = vim.split(result.text, '\n')
  t.has('Cart.Total', lines[result.sources[1].text_lines[1]])
end)

t.test('without a callback, context waits', function()
  local err, result = ambit.context({ budget = 500, format = 'xml' })
  t.eq(nil, err)
  t.eq('xml', result.format)
  assert(result.tokens <= 500, result.tokens)
end)

t.test('context takes a place in another buffer', function()
  local cart = vim.api.nvim_get_current_buf()
  local item = t.edit('shop/item.go')
  vim.cmd.buffer(cart)
  local err, result = ambit.context({ bufnr = item, position = { 7, 5 } })
  t.eq(nil, err)
  t.eq('priceOf', result.symbol.identifier)
end)

t.test('context answers a question in words', function()
  local err, result = ambit.context({ query = 'how are prices summed up?' })
  t.eq(nil, err)
  t.eq(nil, result.symbol)
  t.has('Cart.Total', result.text)
end)

t.test('context pins and drops sources', function()
  t.edit('shop/cart.go', ') Total')
  local _, all = ambit.context({})
  local dropped = all.sources[2]
  local err, result = ambit.context({ drop = { dropped.id } })
  t.eq(nil, err)
  for _, source in ipairs(result.sources) do
    assert(source.id ~= dropped.id, 'the source is still there')
  end
  local last = all.sources[#all.sources]
  err, result = ambit.context({ pin = { last.id }, budget = 300 })
  t.eq(nil, err)
  assert(
    vim.iter(result.sources):any(function(source)
      return source.id == last.id
    end),
    'the pinned source is not there'
  )
end)

t.test('an error names the field', function()
  local err, result = ambit.context({ format = 'pdf' })
  t.eq(nil, result)
  t.has('format', err)
  err = ambit.context({ budget = 'much' })
  t.has('budget', err)
end)

t.test('search finds places', function()
  local err, result = ambit.search({ query = 'price of an item', limit = 3 })
  t.eq(nil, err)
  assert(
    vim.iter(result.results):any(function(match)
      return match.path == 'item.go'
    end),
    vim.inspect(result)
  )
  assert(#result.results <= 3)
  err, result = t.await(function(cb)
    ambit.search({ query = 'paid', language = 'typescript' }, cb)
  end)
  t.eq(nil, err)
  t.eq('web/checkout.ts', result.results[1].path)
end)

t.test('related finds the neighbours of a place', function()
  t.edit('shop/cart.go', ') Total')
  local err, result = ambit.related({ limit = 10 })
  t.eq(nil, err)
  local found = {}
  for _, match in ipairs(result.results) do
    found[match.identifier] = match.role
  end
  assert(found.priceOf and found.TestTotal, vim.inspect(found))
end)

t.test('explain returns the score of a source', function()
  local _, result = ambit.context({})
  local err, explanation = ambit.explain({ id = result.sources[2].id })
  t.eq(nil, err)
  t.eq(result.sources[2].identifier, explanation.identifier)
  assert(#explanation.why > 0)
  err, explanation = ambit.explain({ source = 'item.go:7' })
  t.eq(nil, err)
  t.eq('priceOf', explanation.identifier)
end)

t.test('chunks returns the chunks of a buffer', function()
  local err, result = ambit.chunks()
  t.eq(nil, err)
  t.eq('cart.go', result.path)
  assert(#result.chunks > 0)
end)

t.test('status, pause, resume and reindex', function()
  t.eq(nil, (ambit.pause()))
  t.wait('paused', function()
    local _, status = ambit.status()
    return status.state == 'paused'
  end)
  t.eq(nil, (ambit.resume()))
  local err, files = ambit.reindex()
  t.eq(nil, err)
  t.eq(6, files.files)
  err, files = ambit.reindex({ path = 'docs' })
  t.eq(nil, err)
  t.eq(1, files.files)
end)

t.test('a cancelled question calls no callback', function()
  local called = false
  local cancel = ambit.context({}, function()
    called = true
  end)
  cancel()
  cancel()
  t.eq(nil, (ambit.status()))
  t.eq(false, called)
end)

t.test('a blocking call ends after its timeout', function()
  local err, result = ambit.context({ timeout_ms = 0 })
  t.eq(nil, result)
  t.has('no answer within 0 ms', err)
end)

t.test('a part of this repository is indexed', function()
  t.edit('ambit/indexer/chunk/chunk.go', '^func Split')
  t.ready()
  local err, result = ambit.context({ budget = 3000 })
  t.eq(nil, err)
  t.eq('Split', result.symbol.identifier)
  assert(#result.sources > 3)
  t.eq(t.home .. '/ambit/' .. result.sources[1].path, vim.uri_to_fname(result.sources[1].uri))
end)

t.done()
