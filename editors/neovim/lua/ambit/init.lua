---@brief [[
---The functions that ask the server take a callback `(err, result)`. They call it once, in
---the main loop, with either `err` or `result`, and return a function that cancels the
---question. Without a callback they wait for at most `opts.timeout_ms` and return
---`err, result`. The first question starts the server.
---@brief ]]

local M = {}

---How long a blocking call waits. The first index of a large workspace takes time.
local TIMEOUT_MS, INSTALL_TIMEOUT_MS = 60000, 600000

---The options of |ambit.setup()|. All are optional.
---@class ambit.Options
---@field cmd string[]? the command that starts the server, { 'ambit', 'lsp' } by default
---@field settings table? settings of the server, such as { budget = 4000 }; see `ambit help settings`
---@field enable boolean? whether to attach to every file, for hover and code actions; true by default
---@field layout ambit.Layout? layout of the context window, "split" by default
---@field picker ambit.Picker? by default the first one that is installed
---@field budget_step integer? tokens by which + and - in the context window change the budget, 1000 by default

---@alias ambit.Layout "split"|"vsplit"|"tab"|"float"
---@alias ambit.Picker "snacks"|"telescope"|"fzf-lua"|"select"

---@type ambit.Options
M.options = { enable = true, layout = 'split', budget_step = 1000 }

---The configuration of the client for Neovim 0.10, which has no vim.lsp.config().
M.lsp_options = nil ---@type table?

---Sets options and attaches the server to every file. It may be called again; servers that
---run take new settings at once. |:Ambit| works without it, and starts the server when it is
---first used. One message names all options that are wrong; the others hold.
---@param opts ambit.Options?
function M.setup(opts)
  local valid, wrong = require('ambit.options').check(opts or {})
  if wrong then
    require('ambit.notify').error(wrong)
  end
  M.options = vim.tbl_deep_extend('force', M.options, valid)
  local config = {
    cmd = M.options.cmd,
    settings = M.options.settings and next(M.options.settings) and { ambit = M.options.settings },
  }
  if config.settings then
    require('ambit.client').configure(config.settings)
  end
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.config('ambit', config)
    vim.lsp.enable('ambit', M.options.enable)
    return
  end
  M.lsp_options = config
  local group = vim.api.nvim_create_augroup('ambit', {})
  if not M.options.enable then
    return
  end
  local function attach(bufnr)
    local client = require('ambit.client')
    if vim.api.nvim_buf_is_loaded(bufnr) and client.has_file(bufnr) and vim.bo[bufnr].filetype ~= '' then
      client.get(bufnr, function(err)
        if err then
          vim.notify_once('ambit: ' .. err, vim.log.levels.WARN)
        end
      end)
    end
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(ev)
      attach(ev.buf)
    end,
  })
  vim.tbl_map(attach, vim.api.nvim_list_bufs())
end

---The place of a question. The default is the cursor.
---@class ambit.Place
---@field bufnr integer? 0 or nil for the current buffer
---@field position integer[]? line from 1 and column in bytes from 0, as |nvim_win_get_cursor()| returns them
---@field timeout_ms integer? how long a blocking call waits, 60000 by default

---@class ambit.ContextOptions: ambit.Place
---@field query string? a question in words, in place of the position
---@field symbol string? a declaration by its name, "Cart.total" or "total", in place of the position
---@field path string? where the symbol is looked for, or the file of line; relative to the workspace
---@field line integer? a line of the declaration, or of path, from 1
---@field agent boolean? a language model asks: only files of the workspace are answered about
---@field budget integer? most tokens of the text
---@field format "xml"|"markdown"|"plain"|"human"|"json"|nil
---@field encoding "o200k_base"|"cl100k_base"|"ratio"|nil encoding in which tokens are counted
---@field contextMode "none"|"minimal"|"full"|nil
---@field include string[]? patterns of the files to answer from
---@field exclude string[]? patterns of the files not to answer from
---@field scope "focused"|"exploratory"|"comprehensive"|nil by default the server chooses
---@field pin string[]? ids of sources that the answer must have
---@field drop string[]? ids of sources that the answer must not have

---@class ambit.SearchOptions: ambit.Place
---@field query string
---@field limit integer?
---@field path string? a directory, a file or a pattern of the files to search
---@field language string?
---@field kind string?
---@field layer string? layer of documents
---@field tags string[]? tags that a document must have
---@field deps boolean? search the declarations of the direct dependencies in place of the workspace
---@field agent boolean? a language model asks, see |ambit.ContextOptions|

---@class ambit.RelatedOptions: ambit.Place
---@field limit integer?

---@class ambit.ExplainOptions: ambit.Place
---@field id string? id of a source
---@field source string|ambit.Source|nil a source, "path:line" or an identifier
---@field query string? the question; by default the latest one

---@class ambit.ReindexOptions: ambit.Place
---@field path string? a file or directory of the workspace; by default all files

---@param opts ambit.Place
---@return integer bufnr
---@return integer[] position
local function place_of(opts)
  local bufnr = opts.bufnr or 0
  if bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  if opts.position then
    return bufnr, opts.position
  end
  local current = vim.api.nvim_get_current_win()
  local winid = vim.api.nvim_win_get_buf(current) == bufnr and current or vim.fn.bufwinid(bufnr)
  if winid ~= -1 then
    return bufnr, vim.api.nvim_win_get_cursor(winid)
  end
  return bufnr, vim.api.nvim_buf_get_mark(bufnr, '"')
end

---A command of the server, with the options that it takes and whether it takes a document
---or a place in it.
---@class (private) ambit.Request
---@field command string
---@field fields string[]
---@field about "place"|"document"|nil
---@field progress boolean?

---@param request ambit.Request
---@param opts table
---@param cb fun(err: string?, result: any)
---@return fun() cancel
local function ask(request, opts, cb)
  local client = require('ambit.client')
  local bufnr, position = place_of(opts)
  local cancel ---@type fun()?
  local over = false
  client.get(bufnr, function(err, c)
    if over then
      return
    elseif not c then
      over = true
      return cb(err)
    end
    local argument, done = {}, function() end
    for _, name in ipairs(request.fields) do
      argument[name] = opts[name]
    end
    if request.about and not (opts.query or opts.symbol or opts.path) then
      local uri
      uri, done = client.document(c, bufnr)
      argument.textDocument = { uri = uri }
      if request.about == 'place' then
        argument.position = client.position(c, bufnr, math.max(position[1], 1), position[2])
      end
    end
    local token = request.progress and ('ambit.nvim.%d'):format(vim.uv.hrtime()) or nil
    local stop = client.execute(c, bufnr, request.command, argument, function(problem, result)
      over = true
      done()
      if type(result) == 'table' then
        result.offset_encoding = c.offset_encoding
      end
      cb(problem, result)
    end, token)
    cancel = function()
      stop()
      done()
    end
  end)
  return function()
    if over then
      return
    end
    over = true
    if cancel then
      cancel()
    end
  end
end

---@param request ambit.Request
---@param opts table?
---@param cb fun(err: string?, result: any)?
local function call(request, opts, cb)
  opts = opts or {}
  if cb then
    return ask(request, opts, cb)
  end
  local answered, err, result = false, nil, nil
  local cancel = ask(request, opts, function(e, r)
    answered, err, result = true, e, r
  end)
  local timeout_ms = opts.timeout_ms or TIMEOUT_MS
  vim.wait(timeout_ms, function()
    return answered
  end, 5)
  if not answered then
    cancel()
    return ('no answer within %d ms'):format(timeout_ms)
  end
  return err, result
end

---Assembles the context of the symbol at a place, or of a question in words.
---@param opts ambit.ContextOptions?
---@param cb fun(err: string?, result: ambit.ContextResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.ContextResult? # without cb
function M.context(opts, cb)
  return call({
    command = 'ambit.context',
    fields = {
      'query',
      'symbol',
      'path',
      'line',
      'agent',
      'budget',
      'format',
      'encoding',
      'contextMode',
      'include',
      'exclude',
      'scope',
      'pin',
      'drop',
    },
    about = 'place',
  }, opts, cb)
end

---Searches code and documents.
---@param opts ambit.SearchOptions
---@param cb fun(err: string?, result: ambit.SearchResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.SearchResult? # without cb
function M.search(opts, cb)
  return call({
    command = 'ambit.search',
    fields = { 'query', 'limit', 'path', 'language', 'kind', 'layer', 'tags', 'deps', 'agent' },
    progress = opts and opts.deps, -- it reads the packages
  }, opts, cb)
end

---Finds what the symbol at a place uses, what uses it, its tests and its documents.
---@param opts ambit.RelatedOptions?
---@param cb fun(err: string?, result: ambit.SearchResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.SearchResult? # without cb
function M.related(opts, cb)
  return call({ command = 'ambit.related', fields = { 'limit' }, about = 'place' }, opts, cb)
end

---Explains the score of a source in the answer to the latest question.
---@param opts ambit.ExplainOptions
---@param cb fun(err: string?, result: ambit.Explanation?)?
---@return fun()|string|nil # without cb: err
---@return ambit.Explanation? # without cb
function M.explain(opts, cb)
  return call({ command = 'ambit.explain', fields = { 'id', 'source', 'query' } }, opts, cb)
end

---Returns the chunks of a buffer.
---@param opts ambit.Place?
---@param cb fun(err: string?, result: ambit.ChunksResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.ChunksResult? # without cb
function M.chunks(opts, cb)
  return call({ command = 'ambit.chunks', fields = {}, about = 'document' }, opts, cb)
end

---Returns what is indexed, and which files are left out and why.
---@param opts ambit.Place?
---@param cb fun(err: string?, result: ambit.StatusResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.StatusResult? # without cb
function M.status(opts, cb)
  return call({ command = 'ambit.status', fields = {} }, opts, cb)
end

---Reads files again.
---@param opts ambit.ReindexOptions?
---@param cb fun(err: string?, result: {files: integer}?)?
---@return fun()|string|nil # without cb: err
---@return {files: integer}? # without cb
function M.reindex(opts, cb)
  return call({ command = 'ambit.reindex', fields = { 'path' }, progress = true }, opts, cb)
end

---Pauses indexing until |ambit.resume()|.
---@param opts ambit.Place?
---@param cb fun(err: string?)?
---@return fun()|string|nil # without cb: err
function M.pause(opts, cb)
  return call({ command = 'ambit.pause', fields = {} }, opts, cb)
end

---Resumes indexing.
---@param opts ambit.Place?
---@param cb fun(err: string?)?
---@return fun()|string|nil # without cb: err
function M.resume(opts, cb)
  return call({ command = 'ambit.resume', fields = {} }, opts, cb)
end

---@class ambit.InstallOptions
---@field url string? where the release has its SHA256SUMS and archives, such as "https://HOST/releases/download/v1.2.3"
---@field timeout_ms integer? how long a blocking call waits, 600000 by default

---What |ambit.install()| has installed.
---@class ambit.Installed
---@field path string
---@field version string

---Downloads the command for this machine from a release, for those who have none on their
---PATH. It must have the sum of the release's SHA256SUMS, and it replaces an older one in one
---step. Servers that run keep theirs. It needs curl and tar. Nothing else in the plugin uses
---the network.
---@param opts ambit.InstallOptions?
---@param cb fun(err: string?, result: ambit.Installed?)?
---@return string? err without cb
---@return ambit.Installed? # without cb
function M.install(opts, cb)
  opts = opts or {}
  local start = require('ambit.install').start
  if cb then
    return start(opts, cb)
  end
  local answered, err, result = false, nil, nil
  start(opts, function(e, r)
    answered, err, result = true, e, r
  end)
  vim.wait(opts.timeout_ms or INSTALL_TIMEOUT_MS, function()
    return answered
  end, 20)
  return answered and err or not answered and 'the download takes too long; it goes on' or nil, result
end

---Returns the state of the index of a buffer in a few characters, for the 'statusline';
---empty when no server runs for the buffer. It sends no request, and is fast enough to be
---called with every key: >
---    set statusline+=%{v:lua.require'ambit'.statusline()}
---@param bufnr integer? 0 or nil for the current buffer
---@return string
function M.statusline(bufnr)
  return require('ambit.status').line(bufnr or 0)
end

return M
