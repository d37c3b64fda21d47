---@brief [[
---                                                                      *:Ambit*
---`:Ambit [subcommand] [name=value …] [words]` completes subcommands, names and values.
---`:Ambit` without a subcommand is `:Ambit context`. A range asks about the place where it
---begins, also that of a visual selection. The plugin starts the server when it is needed.
---
---:Ambit context [words]                                        *:Ambit-context*
---  Opens the context of the symbol under the cursor, or of a question in words, in the
---  |ambit-window|. Modifiers such as `:vertical Ambit` place the window; `:Ambit!` and
---  `layout=float` open a floating window. Takes `budget=`, `format=`, `scope=`, `encoding=`,
---  `contextMode=`, `include=`, `exclude=` (patterns separated by commas), `layout=`.
---
---:Ambit copy [words]                                              *:Ambit-copy*
---  Copies the context to the clipboard and the unnamed register. Takes the same options,
---  except `layout=`.
---
---:Ambit search [words]                                          *:Ambit-search*
---  Searches code and documents, and goes to the place that you choose. Without words it
---  searches as you type, with snacks, telescope or fzf-lua if one is installed. Takes
---  `limit=`, `path=`, `language=`, `kind=`, `layer=`, `tags=`, and `deps=true` for the
---  declarations of the direct dependencies in place of the workspace.
---
---:Ambit related                                                *:Ambit-related*
---  Lists what the symbol uses, what uses it, its tests and its documents, and goes to the
---  place that you choose. Takes `limit=`.
---
---:Ambit quickfix [words]                                      *:Ambit-quickfix*
---  Puts the sources into the |quickfix| list: those of the visible context, or else of a
---  new one.
---
---:Ambit explain [source]                                       *:Ambit-explain*
---  Shows the score of a source of the latest answer. Name the source by its identifier,
---  `path:line` or id; the default is the source under the cursor.
---
---:Ambit chunks                                                  *:Ambit-chunks*
---  Shows the chunks of the buffer in the buffer, or hides them.
---
---:Ambit status                                                  *:Ambit-status*
---  Shows what is indexed, and which files are left out and why.
---
---:Ambit reindex [path]                                         *:Ambit-reindex*
---  Reads all files again, or those of a path.
---
---:Ambit pause                                      *:Ambit-pause* *:Ambit-resume*
---:Ambit resume
---  Pauses and resumes indexing.
---
---:Ambit install [url]                                          *:Ambit-install*
---  Downloads the command `ambit` from a release, checks its sum, and puts it where the plugin
---  finds it when there is none on your PATH. See |ambit.install()|.
---@brief ]]

---:Ambit {subcommand}: parses its arguments and completes them.
local M = {}

---@class ambit.Subcommand
---@field run fun(args: ambit.Args)
---@field options table<string, string[]|fun(lead: string): string[]>? the options that it takes, with the values to complete
---@field words (fun(lead: string): string[])? the words to complete

---@class ambit.Args
---@field words string the arguments that are not options
---@field options table<string, any>
---@field mods string modifiers, for the window
---@field bang boolean
---@field position integer[]? where the range of the command begins

local FORMATS = { 'markdown', 'xml', 'plain', 'human', 'json' }
local BUDGETS = { '2000', '4000', '8000', '16000', '32000' }

local context_options = {
  budget = BUDGETS,
  format = FORMATS,
  scope = { 'focused', 'exploratory', 'comprehensive' },
  encoding = { 'o200k_base', 'cl100k_base', 'ratio' },
  contextMode = { 'none', 'minimal', 'full' },
  include = {},
  exclude = {},
}

---Returns the filetypes of the open buffers.
local function languages()
  local seen = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local filetype = vim.bo[bufnr].filetype
    if filetype ~= '' and vim.bo[bufnr].buftype == '' then
      seen[filetype] = true
    end
  end
  local list = vim.tbl_keys(seen)
  table.sort(list)
  return list
end

local function files(lead)
  return vim.fn.getcompletion(lead, 'file')
end

---Returns the identifiers in the visible context.
local function identifiers()
  local view = require('ambit.view').current()
  return vim.tbl_map(function(source)
    return source.identifier
  end, view and view.result.sources or {})
end

---@param args ambit.Args
---@return ambit.ContextOptions
local function question(args)
  local opts = vim.deepcopy(args.options)
  opts.layout = nil
  opts.query = args.words ~= '' and args.words or nil
  if args.position and not opts.query then
    opts.bufnr, opts.position = vim.api.nvim_get_current_buf(), args.position
  end
  return opts
end

---@type table<string, ambit.Subcommand>
M.subcommands = {
  context = {
    run = function(args)
      require('ambit.actions').context(question(args), args.options.layout or args.bang and 'float' or nil, args.mods)
    end,
    options = vim.tbl_extend('error', { layout = { 'split', 'vsplit', 'tab', 'float' } }, context_options),
  },
  copy = {
    run = function(args)
      require('ambit.actions').copy(question(args))
    end,
    options = context_options,
  },
  quickfix = {
    run = function(args)
      require('ambit.actions').quickfix(question(args))
    end,
    options = context_options,
  },
  search = {
    run = function(args)
      require('ambit.actions').search(vim.tbl_extend('force', args.options, { query = args.words }))
    end,
    options = {
      limit = { '10', '20', '50', '100' },
      path = files,
      language = languages,
      kind = { 'function', 'method', 'type', 'class', 'section', 'file' },
      layer = {},
      tags = {},
      deps = { 'true', 'false' },
    },
  },
  related = {
    run = function(args)
      require('ambit.actions').related(args.options)
    end,
    options = { limit = { '10', '20', '50', '100' } },
  },
  explain = {
    run = function(args)
      require('ambit.actions').explain(args.words)
    end,
    words = identifiers,
  },
  chunks = {
    run = function()
      require('ambit.chunks').toggle()
    end,
  },
  status = {
    run = function()
      require('ambit.actions').status()
    end,
  },
  reindex = {
    run = function(args)
      require('ambit.actions').reindex(args.words)
    end,
    words = files,
  },
  install = {
    run = function(args)
      require('ambit.actions').install(args.words)
    end,
  },
  pause = {
    run = function()
      require('ambit.actions').pause()
    end,
  },
  resume = {
    run = function()
      require('ambit.actions').resume()
    end,
  },
}

---Options that are numbers, lists or switches on the wire.
local NUMBERS = { budget = true, limit = true }
local SWITCHES = { ['true'] = true, ['false'] = false }
local LISTS = { include = true, exclude = true, tags = true }

---@param name string
---@param value string
---@return any value
---@return string? err
local function read(name, value)
  if NUMBERS[name] then
    local number = tonumber(value)
    return number, not number and ('%s: use a number, not %q'):format(name, value) or nil
  elseif name == 'deps' then
    return SWITCHES[value], SWITCHES[value] == nil and ('%s: use true or false, not %q'):format(name, value) or nil
  elseif LISTS[name] then
    return vim.split(value, ',', { plain = true, trimempty = true })
  end
  return value
end

---@return string[]
local function names()
  local list = vim.tbl_keys(M.subcommands)
  table.sort(list)
  return list
end

---Reads the words after the subcommand. A word before the others that looks like an option is
---one; later it may be a part of the question.
---@param subcommand ambit.Subcommand
---@param given string[]
---@param args ambit.Args gets the options and the words
---@return string? err
local function read_words(subcommand, given, args)
  local words = {}
  for _, word in ipairs(given) do
    local key, value = word:match('^(%a+)=(.*)$')
    local known = subcommand.options or {}
    if key and known[key] then
      local err
      args.options[key], err = read(key, value)
      if err then
        return err
      end
    elseif key and #words == 0 then
      local options = vim.tbl_keys(known)
      table.sort(options)
      return ('there is no option %s here; %s'):format(key, options[1] and 'use ' .. table.concat(options, ', ') or 'it takes none')
    else
      words[#words + 1] = word
    end
  end
  args.words = table.concat(words, ' ')
end

---Returns where a range begins: the start of the selection if it is that of the latest one, or
---else the first text of the line.
---@param line integer
---@return integer[] position
local function range_start(line)
  local selected = vim.api.nvim_buf_get_mark(0, '<')
  if selected[1] == line then
    return selected
  end
  return { line, #vim.fn.getline(line):match('^%s*') }
end

---@param o table the argument that nvim_create_user_command() passes
function M.run(o)
  local notify = require('ambit.notify')
  local name = 'context'
  if M.subcommands[o.fargs[1]] then
    name = table.remove(o.fargs, 1)
  elseif #o.fargs == 1 and not o.fargs[1]:find('=', 1, true) then
    local one = o.fargs[1]
    return notify.error(
      ('there is no :Ambit %s; use one of %s, or :Ambit context %s to ask about it'):format(one, table.concat(names(), ', '), one)
    )
  end
  local subcommand = M.subcommands[name]
  local args = { options = {}, mods = o.mods, bang = o.bang } ---@type ambit.Args
  local err = read_words(subcommand, o.fargs, args)
  if err then
    return notify.error(err)
  end
  if o.range > 0 then
    args.position = range_start(o.line1)
  end
  subcommand.run(args)
end

---@param lead string
---@param line string
---@param at integer
---@return string[]
function M.complete(lead, line, at)
  local function starting(list)
    return vim.tbl_filter(function(item)
      return vim.startswith(item, lead)
    end, list)
  end
  local typed = line:sub(1, at):match('Ambit!?%s+(.*)$') or ''
  local name = typed:match('^(%S+)%s')
  if not name then
    return starting(names())
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    return {}
  end
  local key, value = lead:match('^(%a+)=(.*)$')
  local values = key and subcommand.options and subcommand.options[key]
  if values then
    values = type(values) == 'function' and values(value) or values
    return starting(vim.tbl_map(function(v)
      return key .. '=' .. v
    end, values))
  end
  local offers = {}
  for option in pairs(subcommand.options or {}) do
    offers[#offers + 1] = option .. '='
  end
  table.sort(offers)
  if subcommand.words then
    vim.list_extend(offers, subcommand.words(lead))
  end
  return starting(offers)
end

return M
