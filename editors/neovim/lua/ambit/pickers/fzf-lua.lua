---fzf-lua, with the keys that its users have for files.
local M = {}

function M.available()
  return (pcall(require, 'fzf-lua'))
end

---Returns a line that the previewer and the actions of fzf-lua read, "path:line:column: label".
---@param match ambit.Match
---@param offset_encoding string
---@return string
local function line_of(match, offset_encoding)
  local places = require('ambit.places')
  local filename, lnum, col = places.file(match, offset_encoding)
  local path = vim.fn.fnamemodify(filename, ':.')
  return ('%s:%d:%d: %s'):format(path, lnum, col, (places.name(match):gsub('\n', ' ')))
end

---Returns the actions of fzf-lua for files, as the user has set them.
---@return table<string, any>
local function actions()
  local all = vim.deepcopy(require('fzf-lua.config').globals.actions.files)
  for key, action in pairs(all) do
    if type(action) == 'table' and action.reuse then
      all[key] = nil -- they change the flags of a search for files
    end
  end
  return all
end

---@param title string
---@return table opts
local function options(title)
  return { prompt = title .. '> ', previewer = 'builtin', actions = actions(), fzf_opts = { ['--multi'] = true } }
end

---@param title string
---@param result ambit.SearchResult
function M.pick(title, result)
  local lines = vim.tbl_map(function(match)
    return line_of(match, result.offset_encoding)
  end, result.results)
  require('fzf-lua').fzf_exec(lines, options(title))
end

---@param opts ambit.SearchOptions
function M.live(opts)
  local search = require('ambit.pickers').searcher(opts)
  require('fzf-lua').fzf_live(function(args)
    local query = type(args) == 'table' and args[1] or args
    return function(show)
      if not query or query == '' then
        return show()
      end
      search(query, function(result)
        for _, match in ipairs(result and result.results or {}) do
          show(line_of(match, result.offset_encoding))
        end
        show() -- ends the list
      end)
    end
  end, options('ambit'))
end

return M
