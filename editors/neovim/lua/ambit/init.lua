---@brief [[
---Every function that asks the server takes a callback `(err, result)`, which is called
---once, in the main loop, with one of the two, and returns a function that cancels the
---question. Without a callback it waits for at most `opts.timeout_ms` and returns
---`err, result`. The server is started by the first question.
---@brief ]]

local M = {}

---How long a blocking call waits: a first index of a large workspace takes its time.
local TIMEOUT_MS = 60000

---What |ambit.setup()| takes. Everything may be left out.
---@class ambit.Options
---@field cmd string[]? how the server is started, { 'ambit', 'lsp' } by default
---@field settings table? of the server, see `ambit help settings`: { budget = 4000 }
---@field enable boolean? attach to every file, for hover and code actions; true by default
---@field layout ambit.Layout? of the context window, "split" by default
---@field picker ambit.Picker? by default the first of them that is installed
---@field budget_step integer? tokens that + and - in the context window add and take, 1000 by default

---@alias ambit.Layout "split"|"vsplit"|"tab"|"float"
---@alias ambit.Picker "snacks"|"telescope"|"fzf-lua"|"select"

---@type ambit.Options
M.options = { enable = true, layout = 'split', budget_step = 1000 }

---What the user said of the client, for Neovim 0.10, which has no vim.lsp.config().
M.lsp_options = nil ---@type table?

---Sets options and has every file served. It may be called again; without it
---|:Ambit| works, and starts the server when it is first used.
---@param opts ambit.Options?
function M.setup(opts)
  M.options = vim.tbl_extend('force', M.options, opts or {})
  local config = {
    cmd = M.options.cmd,
    settings = M.options.settings and { ambit = M.options.settings },
  }
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

---Where a question is asked. By default at the cursor.
---@class ambit.Place
---@field bufnr integer? 0 or nil for the current buffer
---@field position integer[]? line from 1, column in bytes from 0, as |nvim_win_get_cursor()| has it
---@field timeout_ms integer? of a blocking call, 60000 by default

---@class ambit.ContextOptions: ambit.Place
---@field query string? a question in words, instead of the place
---@field budget integer? tokens that the text may take
---@field format "xml"|"markdown"|"plain"|"human"|"json"|nil
---@field encoding "o200k_base"|"cl100k_base"|"ratio"|nil what tokens are counted in
---@field contextMode "none"|"minimal"|"full"|nil
---@field include string[]? patterns of files to answer from
---@field exclude string[]? patterns of files not to answer from
---@field scope "focused"|"exploratory"|"comprehensive"|nil by default the server finds out
---@field pin string[]? ids of sources that must be there
---@field drop string[]? ids of sources that must not

---@class ambit.SearchOptions: ambit.Place
---@field query string
---@field limit integer?
---@field path string? only below this directory, in this file or in files of this pattern
---@field language string?
---@field kind string?
---@field layer string? of documents
---@field tags string[]? of documents, all of them

---@class ambit.RelatedOptions: ambit.Place
---@field limit integer?

---@class ambit.ExplainOptions: ambit.Place
---@field id string? of a source
---@field source string|ambit.Source|nil a source, "path:line" or an identifier
---@field query string? the question that it answers; by default the latest one

---@class ambit.ReindexOptions: ambit.Place
---@field path string? a file or directory of the workspace; by default all

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

---What a command wants to know: of `fields` what the options say, and the document or
---the place in it.
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
    if request.about and not opts.query then
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

---Assembles what belongs with the symbol at a place, or with a question.
---@param opts ambit.ContextOptions?
---@param cb fun(err: string?, result: ambit.ContextResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.ContextResult? # without cb
function M.context(opts, cb)
  return call({
    command = 'ambit.context',
    fields = { 'query', 'budget', 'format', 'encoding', 'contextMode', 'include', 'exclude', 'scope', 'pin', 'drop' },
    about = 'place',
  }, opts, cb)
end

---Finds places by a question in words.
---@param opts ambit.SearchOptions
---@param cb fun(err: string?, result: ambit.SearchResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.SearchResult? # without cb
function M.search(opts, cb)
  return call({
    command = 'ambit.search',
    fields = { 'query', 'limit', 'path', 'language', 'kind', 'layer', 'tags' },
  }, opts, cb)
end

---Finds what belongs with the symbol at a place: what it uses, what uses it, its tests
---and documents.
---@param opts ambit.RelatedOptions?
---@param cb fun(err: string?, result: ambit.SearchResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.SearchResult? # without cb
function M.related(opts, cb)
  return call({ command = 'ambit.related', fields = { 'limit' }, about = 'place' }, opts, cb)
end

---Tells how a source came by its place in the answer to the latest question.
---@param opts ambit.ExplainOptions
---@param cb fun(err: string?, result: ambit.Explanation?)?
---@return fun()|string|nil # without cb: err
---@return ambit.Explanation? # without cb
function M.explain(opts, cb)
  return call({ command = 'ambit.explain', fields = { 'id', 'source', 'query' } }, opts, cb)
end

---Tells how a buffer is cut.
---@param opts ambit.Place?
---@param cb fun(err: string?, result: ambit.ChunksResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.ChunksResult? # without cb
function M.chunks(opts, cb)
  return call({ command = 'ambit.chunks', fields = {}, about = 'document' }, opts, cb)
end

---Tells what is indexed, and what is left out and why.
---@param opts ambit.Place?
---@param cb fun(err: string?, result: ambit.StatusResult?)?
---@return fun()|string|nil # without cb: err
---@return ambit.StatusResult? # without cb
function M.status(opts, cb)
  return call({ command = 'ambit.status', fields = {} }, opts, cb)
end

---Reads files anew.
---@param opts ambit.ReindexOptions?
---@param cb fun(err: string?, result: {files: integer}?)?
---@return fun()|string|nil # without cb: err
---@return {files: integer}? # without cb
function M.reindex(opts, cb)
  return call({ command = 'ambit.reindex', fields = { 'path' }, progress = true }, opts, cb)
end

---Stops indexing until |ambit.resume()|.
---@param opts ambit.Place?
---@param cb fun(err: string?)?
---@return fun()|string|nil # without cb: err
function M.pause(opts, cb)
  return call({ command = 'ambit.pause', fields = {} }, opts, cb)
end

---Goes on with indexing.
---@param opts ambit.Place?
---@param cb fun(err: string?)?
---@return fun()|string|nil # without cb: err
function M.resume(opts, cb)
  return call({ command = 'ambit.resume', fields = {} }, opts, cb)
end

---How the index of the current buffer is, in a few characters for a 'statusline': empty
---when the server does not run for it or has nothing to tell. It asks nobody and is quick
---enough to be called with every key: >
---    set statusline+=%{v:lua.require'ambit'.statusline()}
---@param bufnr integer? 0 or nil for the current buffer
---@return string
function M.statusline(bufnr)
  return require('ambit.status').line(bufnr or 0)
end

return M
