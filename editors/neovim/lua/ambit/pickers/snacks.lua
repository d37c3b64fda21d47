---The picker of snacks.nvim.
local M = {}

function M.available()
  local ok, snacks = pcall(require, 'snacks')
  return ok and snacks.picker ~= nil and not (snacks.config and (snacks.config.picker or {}).enabled == false)
end

---@param match ambit.Match
---@param offset_encoding string
---@return table item
local function item(match, offset_encoding)
  local places = require('ambit.places')
  local filename, lnum, col = places.file(match, offset_encoding)
  return {
    text = places.label(match),
    file = filename,
    pos = { lnum, col - 1 },
    match = match,
    offset_encoding = offset_encoding,
  }
end

---The commands that open a window for the actions of snacks that split.
local SPLITS = { split = 'split', vsplit = 'vsplit', tab = 'tab split' }

---@param picker table
---@param chosen table?
---@param action {cmd: string?}?
local function confirm(picker, chosen, action)
  picker:close()
  if chosen then
    if action and SPLITS[action.cmd] then
      vim.cmd(SPLITS[action.cmd])
    end
    require('ambit.places').jump(chosen.match, chosen.offset_encoding)
  end
end

---@param chosen table
---@return table[] parts
local function format(chosen)
  return { { chosen.text } }
end

---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  require('snacks').picker.pick({
    source = 'ambit',
    title = title,
    items = vim.tbl_map(function(match)
      return item(match, result.offset_encoding)
    end, result.results),
    format = format,
    confirm = confirm,
  })
end

---@param opts ambit.SearchOptions
function M.live(opts)
  local search = require('ambit.pickers').searcher(opts)
  require('snacks').picker.pick({
    source = 'ambit',
    title = 'ambit',
    live = true,
    -- snacks calls this after each change. The function that it returns runs in a coroutine
    -- of the picker, which waits until it is resumed.
    finder = function(_, ctx)
      local query = ctx.filter.search
      if not query or query == '' then
        return {}
      end
      return function(add)
        local cancel = function() end
        local async = ctx.async
        local found = {}
        async:on(
          'abort',
          vim.schedule_wrap(function()
            cancel()
          end)
        )
        vim.schedule(function()
          cancel = search(query, function(result)
            for _, match in ipairs(result and result.results or {}) do
              found[#found + 1] = item(match, result.offset_encoding)
            end
            async:resume()
          end)
        end)
        async:suspend()
        for _, one in ipairs(found) do
          add(one)
        end
      end
    end,
    format = format,
    confirm = confirm,
  })
end

return M
