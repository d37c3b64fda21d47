---telescope.nvim. `:Telescope ambit` searches while the user types.
local M = {}

function M.available()
  return (pcall(require, 'telescope'))
end

---@param match ambit.Match
---@param offset_encoding string
---@return table entry
local function entry(match, offset_encoding)
  local places = require('ambit.places')
  local filename, lnum, col = places.file(match, offset_encoding)
  return {
    value = match,
    ordinal = places.label(match),
    display = places.label(match),
    text = places.label(match), -- in the quickfix list
    filename = filename,
    lnum = lnum,
    col = col,
  }
end

---@param title string
---@param finder table
---@param sorter table
---@param opts table? options of telescope
local function open(title, finder, sorter, opts)
  local conf = require('telescope.config').values
  require('telescope.pickers')
    .new(opts or {}, {
      prompt_title = title,
      finder = finder,
      sorter = sorter,
      previewer = conf.grep_previewer(opts or {}),
    })
    :find()
end

---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  local finder = require('telescope.finders').new_table({
    results = result.results,
    entry_maker = function(match)
      return entry(match, result.offset_encoding)
    end,
  })
  open(title, finder, require('telescope.config').values.generic_sorter({}))
end

---@param opts ambit.SearchOptions
---@param picker_opts table? options of telescope
function M.live(opts, picker_opts)
  local channel = require('plenary.async.control').channel
  local encoding = 'utf-16'
  local search = require('ambit.pickers').searcher(opts)
  local finder = require('telescope.finders').new_dynamic({
    -- telescope calls this in a coroutine of plenary.
    fn = function(prompt)
      if not prompt or prompt == '' then
        return {}
      end
      local send, receive = channel.oneshot()
      search(prompt, send)
      local result = receive()
      encoding = result and result.offset_encoding or encoding
      return result and result.results or {}
    end,
    entry_maker = function(match)
      return entry(match, encoding)
    end,
  })
  -- The results keep the order of the server.
  open('ambit', finder, require('telescope.sorters').empty(), picker_opts)
end

return M
