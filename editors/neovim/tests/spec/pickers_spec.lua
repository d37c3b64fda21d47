-- Live search in the pickers of other plugins. The plugins are not installed: for each there
-- is a stand-in for the part of its interface that ambit uses.
package.path = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/?.lua;' .. package.path
local t = require('helper')
local pickers = require('ambit.pickers')

t.edit('shop/cart.go', ') Total')
t.ready()

---Runs a function in a coroutine and waits for its end.
local function run(body)
  local done, result
  local co = coroutine.create(function()
    result = body()
    done = true
  end)
  local ok, err = coroutine.resume(co)
  assert(ok, err)
  t.wait('the coroutine', function()
    return done
  end)
  return result
end

local function provide(modules)
  for name, module in pairs(modules) do
    package.loaded[name] = module
  end
  return function()
    for name in pairs(modules) do
      package.loaded[name] = nil
    end
  end
end

t.test('without another plugin the picker is vim.ui.select', function()
  t.eq('select', pickers.name())
end)

t.test('telescope searches while the user types, and keeps the order of the server', function()
  local opened
  local restore = provide({
    ['telescope'] = {
      register_extension = function(extension)
        return extension
      end,
    },
    ['telescope.config'] = {
      values = {
        generic_sorter = function()
          return 'generic'
        end,
        grep_previewer = function()
          return 'previewer'
        end,
      },
    },
    ['telescope.sorters'] = {
      empty = function()
        return 'empty'
      end,
    },
    ['telescope.finders'] = {
      new_table = function(o)
        assert(o.results and o.entry_maker)
        return o
      end,
      new_dynamic = function(o)
        assert(o.fn and o.entry_maker)
        return o
      end,
    },
    ['telescope.pickers'] = {
      new = function(_, defaults)
        return {
          find = function()
            opened = defaults
          end,
        }
      end,
    },
    ['plenary.async.control'] = {
      channel = {
        oneshot = function()
          local value, co
          return function(...)
            value = { n = select('#', ...), ... }
            if co then
              assert(coroutine.resume(co))
            end
          end, function()
            if not value then
              co = coroutine.running()
              coroutine.yield()
            end
            return unpack(value, 1, value.n)
          end
        end,
      },
    },
  })
  t.eq('telescope', pickers.name())
  vim.cmd('Ambit search')
  t.eq('empty', opened.sorter)
  t.eq({}, opened.finder.fn(''))
  local results = run(function()
    return opened.finder.fn('Cart Total')
  end)
  local entries = vim.tbl_map(opened.finder.entry_maker, results)
  t.eq(results[1], entries[1].value)
  assert(
    vim.iter(entries):any(function(entry)
      return entry.filename == t.home .. '/shop/cart.go'
        and entry.lnum > 1
        and entry.display == entry.ordinal
        and entry.text == entry.display
    end),
    vim.inspect(entries)
  )

  vim.cmd('Ambit related')
  t.wait('the picker', function()
    return opened.prompt_title == 'Related'
  end)
  t.eq('generic', opened.sorter)
  assert(#opened.finder.results > 1)

  opened = nil
  require('telescope._extensions.ambit').exports.ambit({})
  t.eq('ambit', opened.prompt_title)
  restore()
end)

t.test('without a picker, the search is live, and its keys open the match', function()
  t.eq('select', pickers.name())
  for _, key in ipairs({ '<CR>', '<C-v>', '<C-q>' }) do
    t.edit('shop/item.go')
    vim.cmd('Ambit search')
    local line, list = unpack(vim.tbl_filter(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end, vim.api.nvim_list_wins()))
    t.eq('ambit-search', vim.bo.filetype)
    local input = vim.api.nvim_get_current_win()
    list = input == list and line or list
    for query, first in pairs({ priceOf = 'priceOf  item.go', ['Cart.Total'] = 'Cart.Total  cart.go' }) do
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { query })
      vim.api.nvim_exec_autocmds('TextChangedI', { buffer = 0 })
      t.wait(first, function()
        return vim.startswith(t.text(vim.api.nvim_win_get_buf(list)), first)
      end)
    end
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Cart.Total' })
    vim.api.nvim_exec_autocmds('TextChangedI', { buffer = 0 })
    t.wait('the last answer', function()
      return vim.startswith(t.text(vim.api.nvim_win_get_buf(list)), 'Cart.Total')
    end)
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(key, true, true, true), 'xm', false)
    t.eq(false, vim.api.nvim_win_is_valid(list))
    if key == '<C-q>' then
      t.eq('quickfix', vim.bo.buftype)
      t.has('Cart.Total', t.text())
      vim.cmd.cclose()
    else
      t.eq('cart.go', vim.fn.expand('%:t'))
      t.eq(key == '<C-v>' and 2 or 1, #vim.api.nvim_list_wins())
      vim.cmd.only()
    end
  end
end)

t.test('snacks searches while the user types', function()
  local opts
  local restore = provide({
    ['snacks'] = {
      config = {},
      picker = {
        pick = function(o)
          opts = o
        end,
      },
    },
  })
  t.eq('snacks', pickers.name())
  t.edit('shop/cart.go', ') Total')
  vim.cmd('Ambit search')
  t.eq(true, opts.live)
  t.eq({}, opts.finder({}, { filter = { search = '' } }))
  local items = {}
  run(function()
    local co = coroutine.running()
    local async = {
      on = function(_, event)
        t.eq('abort', event)
      end,
      suspend = function()
        coroutine.yield()
      end,
      resume = function()
        assert(coroutine.resume(co))
      end,
    }
    opts.finder({}, { filter = { search = 'Cart Total' }, async = async })(function(item)
      items[#items + 1] = item
    end)
  end)
  local cart = vim.iter(items):find(function(item)
    return item.file == t.home .. '/shop/cart.go'
  end)
  assert(cart and cart.pos[1] > 1, vim.inspect(items))
  t.eq({ { cart.text } }, opts.format(cart))
  vim.cmd.enew()
  local closed
  opts.confirm({
    close = function()
      closed = true
    end,
  }, cart)
  t.eq(true, closed)
  t.eq('cart.go', vim.fn.expand('%:t'))
  local windows = #vim.api.nvim_list_wins()
  opts.confirm({ close = function() end }, cart, { cmd = 'vsplit' })
  t.eq(windows + 1, #vim.api.nvim_list_wins())
  vim.cmd.only()

  t.edit('shop/cart.go', ') Total')
  opts = nil
  vim.cmd('Ambit related')
  t.wait('the picker', function()
    return opts
  end)
  assert(#opts.items > 1 and opts.items[1].text)
  restore()
end)

t.test('a live search shows each error once, and works where there is no code', function()
  t.notices()
  vim.cmd('help')
  for _ = 1, 2 do
    local search = pickers.searcher({ language = 'nosuch' })
    for _ = 1, 2 do
      t.eq(
        nil,
        t.await(function(cb)
          search('zzz', cb)
        end)
      )
    end
  end
  local _, count = t.notices():gsub('no file is nosuch', '')
  t.eq(2, count)
  vim.cmd('helpclose')
end)

t.test('the user can choose the picker', function()
  local restore = provide({ ['fzf-lua'] = {}, ['telescope'] = {} })
  t.eq('telescope', pickers.name())
  require('ambit').setup({ picker = 'fzf-lua', enable = false })
  t.eq('fzf-lua', pickers.name())
  require('ambit').setup({ picker = 'select', enable = false })
  t.eq('select', pickers.name())
  restore()
end)

t.done()
