-- nvim -l scripts/vimdoc.lua [FILE]: writes doc/ambit.txt, or FILE, from the annotations of
-- the Lua files: the text between ---@brief [[ and ---@brief ]], functions, classes and
-- aliases.

local root = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)))
vim.opt.rtp:prepend(root)
local WIDTH = 78

---@class Section
---@field title string
---@field tag string
---@field file string
---@field extra (fun(): string[])?

---@type Section[]
local sections = {
  { title = 'INTRODUCTION', tag = 'ambit-introduction', file = 'scripts/introduction.txt' },
  { title = 'COMMANDS', tag = 'ambit-commands', file = 'lua/ambit/command.lua' },
  {
    title = 'THE CONTEXT WINDOW',
    tag = 'ambit-window',
    file = 'lua/ambit/view.lua',
    extra = function()
      local lines = {}
      for _, key in ipairs(require('ambit.view.keys').keys) do
        lines[#lines + 1] = ('  %-6s %s'):format(key[1], key[2])
      end
      return lines
    end,
  },
  { title = 'LUA API', tag = 'ambit-api', file = 'lua/ambit/init.lua' },
  { title = 'RESULTS', tag = 'ambit-results', file = 'lua/ambit/types.lua' },
  { title = 'STATUS', tag = 'ambit-events', file = 'lua/ambit/status.lua' },
  { title = 'OTHER PLUGINS', tag = 'ambit-adapters', file = 'lua/ambit/adapters/tool.lua' },
}

local out = {}
local function add(line)
  out[#out + 1] = (line:gsub('%s+$', ''))
end

---@param left string
---@param tag string
local function tagged(left, tag)
  tag = '*' .. tag .. '*'
  if #left + #tag + 1 > WIDTH then
    add((' '):rep(WIDTH - #tag) .. tag)
    add(left)
  else
    add(left .. (' '):rep(WIDTH - #left - #tag) .. tag)
  end
end

---Wraps a text.
---@param text string
---@param indent string
---@param hang string? indent of all lines but the first
local function wrap(text, indent, hang)
  local line = indent
  for word in text:gmatch('%S+') do
    if #line + #word + 1 > WIDTH and line:match('%S') then
      add(line)
      line = hang or indent
    end
    line = line .. (line:match('%S') and ' ' or '') .. word
  end
  add(line)
end

---@param text string
---@return string type
---@return string rest
local function read_type(text)
  local depth, i = 0, 1
  while i <= #text do
    local c = text:sub(i, i)
    if c:match('[({<%[]') then
      depth = depth + 1
    elseif c:match('[)}>%]]') then
      depth = depth - 1
    elseif c == ' ' and depth == 0 and not text:sub(1, i - 1):match('[:,|]$') then
      break
    end
    i = i + 1
  end
  return text:sub(1, i - 1), vim.trim(text:sub(i))
end

---@param name string
---@param rest string "type description"
local function field(name, rest)
  local type_of, description = read_type(rest)
  wrap(('• {%s} `%s` %s'):format(name, type_of, description), '    ', '      ')
end

---@param comment string[]
---@return string[] prose
---@return table<string, string[]> annotations
local function parse(comment)
  local prose, annotations = {}, { param = {}, ['return'] = {}, field = {} }
  for _, line in ipairs(comment) do
    local name, rest = line:match('^@(%a+)%s*(.*)$')
    if name then
      annotations[name] = annotations[name] or {}
      table.insert(annotations[name], rest)
    else
      table.insert(prose, line)
    end
  end
  return prose, annotations
end

---@param prose string[]
local function add_prose(prose)
  local paragraph = {}
  local function flush()
    if #paragraph > 0 then
      wrap(table.concat(paragraph, ' '), '    ')
      paragraph = {}
    end
  end
  for _, line in ipairs(prose) do
    if line:match('^    ') then
      flush()
      add('    ' .. line)
    elseif line == '' then
      flush()
      add('')
    else
      paragraph[#paragraph + 1] = line
    end
  end
  flush()
end

---@param name string
---@param args string
---@param comment string[]
local function add_function(name, args, comment)
  local prose, annotations = parse(comment)
  local shown = args:gsub('[%w_]+', '{%0}')
  add('')
  tagged(('ambit.%s(%s)'):format(name, shown), ('ambit.%s()'):format(name))
  add_prose(prose)
  if #annotations.param > 0 then
    add('')
    add('    Parameters: ~')
    for _, param in ipairs(annotations.param) do
      local of, rest = param:match('^([%w_]+)%s*(.*)$')
      field(of, rest)
    end
  end
  if #annotations['return'] > 0 then
    add('')
    add('    Return: ~')
    for _, value in ipairs(annotations['return']) do
      local type_of, rest = read_type(value)
      wrap(('• `%s` %s'):format(type_of, (rest:gsub('^#%s*', ''))), '    ', '      ')
    end
  end
end

---@param class string "ambit.Name: Parent"
---@param comment string[]
local function add_class(class, comment)
  local prose, annotations = parse(comment)
  local name, parent = class:match('^([%w_.]+):?%s*(.*)$')
  add('')
  tagged(name, name)
  add_prose(prose)
  if parent ~= '' then
    wrap(('Has the fields of |%s| too.'):format(parent), '    ')
  end
  for _, each in ipairs(annotations.field) do
    local of, rest = each:match('^([%w_]+)%s*(.*)$')
    field(of, rest)
  end
end

---Adds a text: wraps its paragraphs, and keeps code and headings as they are.
---@param text string[]
local function add_brief(text)
  local paragraph, indent, code = {}, '', false
  local function flush()
    if #paragraph > 0 then
      wrap(table.concat(paragraph, ' '), indent)
      paragraph = {}
    end
  end
  for _, line in ipairs(text) do
    local starts = line:match(' >%a*$')
    if code or line == '' or line:match('^:%a') or line:match('%*%S+%*$') then
      flush()
      add(line)
      code = code and line ~= '<'
    else
      local own = line:match('^%s*')
      if own ~= indent then
        flush()
        indent = own
      end
      paragraph[#paragraph + 1] = vim.trim(line)
      if starts then
        flush()
        code = true
      end
    end
  end
  flush()
end

---@param text string[]
local function add_module(text)
  local comment, brief = {}, nil
  text[#text + 1] = ''
  for _, line in ipairs(text) do
    local rest = line:match('^%-%-%-(.*)$')
    local name, args = line:match('^function M%.([%w_]+)%((.-)%)')
    if rest == '@brief [[' then
      brief = {}
    elseif rest == '@brief ]]' then
      add_brief(brief)
      brief = nil
    elseif brief then
      brief[#brief + 1] = rest
    elseif rest then
      comment[#comment + 1] = rest
    else
      local _, annotations = parse(comment)
      if name then
        add_function(name, args, comment)
      elseif annotations.class and annotations.class[1]:match('^ambit%.') then
        add_class(annotations.class[1], comment)
      end
      for _, alias in ipairs(annotations.alias or {}) do
        local of, is = alias:match('^(ambit%.%S+)%s+(.*)$')
        if of then
          add('')
          tagged(of, of)
          wrap('`' .. is .. '`', '    ')
        end
      end
      comment = {}
    end
  end
end

add('*ambit.txt*   The context of the symbol under the cursor, within a token budget')
tagged('', 'ambit')
add('')
for i, section in ipairs(sections) do
  local left = ('%d. %s '):format(i, section.title)
  local tag = ('|%s|'):format(section.tag)
  add(left .. ('.'):rep(WIDTH - #left - #tag - 1) .. ' ' .. tag)
end
for i, section in ipairs(sections) do
  add('')
  add(('='):rep(WIDTH))
  tagged(('%d. %s'):format(i, section.title), section.tag)
  add('')
  local text = vim.fn.readfile(root .. '/' .. section.file)
  if section.file:match('%.lua$') then
    -- The help has only the public functions and types.
    local public = section.file:match('init%.lua$') or section.file:match('types%.lua$')
    add_module(public and text or vim.tbl_filter(function(line)
      return line:match('^%-%-%-') and not line:match('^%-%-%-@class')
    end, text))
  else
    add_brief(text)
  end
  if section.extra then
    add('')
    vim.tbl_map(add, section.extra())
  end
end
add('')
add(' vim:tw=78:ts=8:ft=help:norl:')

local target = root .. '/doc/ambit.txt'
vim.fn.mkdir(vim.fs.dirname(target), 'p')
vim.fn.writefile(out, arg[1] or target)
