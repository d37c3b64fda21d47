---fzf-lua.
local M = {}

function M.available()
  return (pcall(require, 'fzf-lua'))
end

---Returns a line that the previewer of fzf-lua reads, "path:line:column: label".
---@param match ambit.Match
---@param offset_encoding string
---@return string
local function line_of(match, offset_encoding)
  local places = require('ambit.places')
  local filename, lnum, col = places.file(match, offset_encoding)
  return ('%s:%d:%d: %s'):format(filename, lnum, col, (places.label(match):gsub('\n', ' ')))
end

---@param title string
---@param chosen fun(line: string)
---@return table opts
local function options(title, chosen)
  return {
    prompt = title .. '> ',
    previewer = 'builtin',
    actions = {
      ['default'] = function(selected)
        if selected and selected[1] then
          chosen(selected[1])
        end
      end,
    },
  }
end

---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  local lines, matches = {}, {}
  for _, match in ipairs(result.results) do
    local line = line_of(match, result.offset_encoding)
    lines[#lines + 1], matches[line] = line, match
  end
  require('fzf-lua').fzf_exec(
    lines,
    options(title, function(line)
      if matches[line] then
        require('ambit.places').jump(matches[line], result.offset_encoding)
      end
    end)
  )
end

---@param opts ambit.SearchOptions
function M.live(opts)
  local matches, encoding = {}, 'utf-16'
  local search = require('ambit.pickers').searcher(opts)
  require('fzf-lua').fzf_live(
    function(args)
      local query = type(args) == 'table' and args[1] or args
      return function(show)
        if not query or query == '' then
          return show()
        end
        search(query, function(result)
          for _, match in ipairs(result and result.results or {}) do
            encoding = result.offset_encoding
            local line = line_of(match, encoding)
            matches[line] = match
            show(line)
          end
          show() -- ends the list
        end)
      end
    end,
    options('ambit', function(line)
      if matches[line] then
        require('ambit.places').jump(matches[line], encoding)
      end
    end)
  )
end

return M
