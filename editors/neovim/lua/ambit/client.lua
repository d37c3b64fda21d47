---The LSP client: finds or starts the client for a buffer, translates places, and runs the
---commands of the server. Nothing here depends on the content of an answer.
local M = {}

local api, lsp = vim.api, vim.lsp
local nvim_011 = vim.fn.has('nvim-0.11') == 1

---How long a server may take to answer `initialize`, and how often the client checks it.
local START_TIMEOUT_MS, POLL_MS = 30000, 10

---Returns the configuration of the client: `lsp/ambit.lua` with the options of the user.
---@return vim.lsp.ClientConfig|{root_markers: string[], filetypes: string[]?}
function M.config()
  if nvim_011 then
    return vim.deepcopy(lsp.config.ambit)
  end
  local file = api.nvim_get_runtime_file('lsp/ambit.lua', false)[1]
  return vim.tbl_deep_extend('force', dofile(file), require('ambit').lsp_options or {})
end

---Returns why the server cannot be started, with the next step; nil when it can.
---@param cmd string[]|function
---@return string?
function M.missing(cmd)
  if type(cmd) == 'function' or vim.fn.executable(cmd[1]) == 1 then
    return nil
  end
  return ("`%s` was not found. Build it with `make build` in ambit's repository and put bin/ambit on your PATH, "):format(cmd[1])
    .. "download it with `:Ambit install`, or name it: require('ambit').setup({ cmd = { '/path/to/ambit', 'lsp' } })"
end

---The parts of the paths below which tools keep the sources of dependencies.
local LIBRARIES = {
  '/pkg/mod/',
  '/node_modules/',
  '/site%-packages/',
  '/dist%-packages/',
  '/lib/python3',
  '/registry/src/',
  '/git/checkouts/',
  '/rustlib/src/',
  '/gems/',
  '/lib/ruby/',
  '/lib/go[^/]*/src/',
  '/local/go/src/',
  '/libexec/src/',
  '^/usr/include/',
  '^/usr/local/include/',
  '^/usr/lib/.*/include/',
  '^/opt/homebrew/include/',
}

---Returns the workspace from which the file of a dependency was opened, nil for another file. A
---definition led there: the client of the buffer before it, or else the last one, has the workspace.
---@param bufnr integer
---@return string?
local function root_of_dependency(bufnr)
  local name = api.nvim_buf_get_name(bufnr):gsub('\\', '/')
  for _, part in ipairs(LIBRARIES) do
    if name:find(part) then
      local before = vim.fn.bufnr('#')
      local clients = before > 0 and M.running({ bufnr = before }) or {}
      if #clients == 0 then
        clients = M.running()
      end
      local root = #clients > 0 and clients[#clients].config.root_dir or nil
      return root and not vim.startswith(name, root .. '/') and root or nil
    end
  end
end

---Returns whether a client serves the current buffer, for which Neovim starts a client.
---@param client vim.lsp.Client
---@param config vim.lsp.ClientConfig
---@return boolean
function M.serves(client, config)
  if client.name ~= config.name or client:is_stopped() then
    return false
  end
  return client.config.root_dir == (root_of_dependency(api.nvim_get_current_buf()) or config.root_dir)
end

---Returns the workspace of a buffer: the nearest directory with the first marker that any
---directory above has. For a buffer without a file, the search begins in the working
---directory.
---@param bufnr integer
---@param markers string[]
---@return string?
local function root_of(bufnr, markers)
  local from = M.has_file(bufnr) and api.nvim_buf_get_name(bufnr) or vim.fn.getcwd()
  for _, marker in ipairs(markers) do
    local root = vim.fs.root(from, marker)
    if root then
      return root
    end
  end
end

---Returns the workspace of a buffer: that of its project, or, for the file of a dependency, the one
---from which it was opened.
---@param bufnr integer
---@return string?
function M.workspace(bufnr)
  return root_of_dependency(bufnr) or root_of(bufnr, M.config().root_markers or {})
end

---Returns whether a buffer belongs to a file, saved or not. The client sends other buffers
---as untitled documents with each question.
---@param bufnr integer
---@return boolean
function M.has_file(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  return name ~= '' and vim.bo[bufnr].buftype == '' and not name:match('^%a[%w+.-]+:')
end

---@param filter vim.lsp.get_clients.Filter?
---@return vim.lsp.Client[]
function M.running(filter)
  filter = vim.tbl_extend('force', filter or {}, { name = 'ambit' })
  return vim.tbl_filter(function(client)
    return not (nvim_011 and client:is_stopped() or not nvim_011 and client.is_stopped())
  end, lsp.get_clients(filter))
end

---Returns the workspace of a buffer; nil for a file without a workspace.
---@param bufnr integer
---@return string?
function M.root(bufnr)
  local client = M.running({ bufnr = bufnr })[1]
  return client and client.config.root_dir or M.workspace(bufnr)
end

---Starts the server for a buffer, unless one runs for its workspace already.
---@param bufnr integer
---@return integer? client_id
---@return string? err
local function start(bufnr)
  local config = M.config()
  config.name = 'ambit'
  local missing = M.missing(config.cmd --[[@as string[] ]])
  if missing then
    return nil, missing
  end
  if type(config.root_dir) ~= 'string' then
    config.root_dir = M.workspace(bufnr)
  end
  if M.has_file(bufnr) then
    local id = lsp.start(config, { bufnr = bufnr, silent = true })
    return id, id == nil and '`' .. config.cmd[1] .. '` did not start; :checkhealth ambit has details' or nil
  end
  for _, client in ipairs(M.running()) do
    if client.config.root_dir == config.root_dir then
      return client.id
    end
  end
  local id, err
  if nvim_011 then
    id = lsp.start(config, { attach = false, silent = true })
  else
    id, err = lsp.start_client(config)
  end
  return id, id == nil and (err or 'the server did not start; :checkhealth ambit has details') or nil
end

---Calls back with the client for a buffer when it is ready. Starts the server if needed.
---@param bufnr integer
---@param cb fun(err: string?, client: vim.lsp.Client?) called once
function M.get(bufnr, cb)
  local client = M.has_file(bufnr) and M.running({ bufnr = bufnr })[1] or nil
  local id, err = client and client.id, nil
  if not id then
    id, err = start(bufnr)
  end
  if not id then
    return cb(err)
  end
  local deadline = vim.uv.now() + START_TIMEOUT_MS
  local function look()
    client = lsp.get_client_by_id(id)
    if not client then
      return cb('the server ended before it was ready; :checkhealth ambit has details')
    elseif client.initialized then
      return cb(nil, client)
    elseif vim.uv.now() > deadline then
      return cb('the server is not ready; :checkhealth ambit has details')
    end
    vim.defer_fn(look, POLL_MS)
  end
  look()
end

---@param client vim.lsp.Client
---@param method string
---@param params table
local function notify(client, method, params)
  if nvim_011 then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

---Gives new settings to the servers that run.
---@param settings {ambit: table}
function M.configure(settings)
  for _, client in ipairs(M.running()) do
    client.settings = settings
    notify(client, 'workspace/didChangeConfiguration', { settings = settings })
  end
end

---The untitled documents that are open at a server for the time of a question, with the
---number of those questions and the version, by client and URI.
local untitled = {} ---@type table<string, {users: integer, version: integer}>

---Returns the URI of a buffer for the server. Opens a buffer without an attached file as an
---untitled document, until `done` is called.
---@param client vim.lsp.Client
---@param bufnr integer
---@return string uri
---@return fun() done
function M.document(client, bufnr)
  if M.has_file(bufnr) and client.attached_buffers[bufnr] then
    return vim.uri_from_bufnr(bufnr), function() end
  end
  local name = api.nvim_buf_get_name(bufnr)
  if vim.startswith(name, 'ambit-context:/jar/') then -- a source in an archive
    return name, function() end
  end
  local uri = 'untitled:' .. bufnr
  local key = client.id .. ' ' .. uri
  local text = table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n') .. '\n'
  local document = untitled[key]
  if document then
    document.users, document.version = document.users + 1, document.version + 1
    notify(client, 'textDocument/didChange', {
      textDocument = { uri = uri, version = document.version },
      contentChanges = { { text = text } },
    })
  else
    document = { users = 1, version = 1 }
    untitled[key] = document
    notify(client, 'textDocument/didOpen', {
      textDocument = { uri = uri, languageId = vim.bo[bufnr].filetype, version = 1, text = text },
    })
  end
  return uri,
    function()
      document.users = document.users - 1
      if document.users == 0 then
        untitled[key] = nil
        notify(client, 'textDocument/didClose', { textDocument = { uri = uri } })
      end
    end
end

---How long a server may take to read a document.
local CONTENT_TIMEOUT_MS = 5000

---Returns the text of a document that the server provides.
---@param uri string
---@return string? text
---@return string? err
function M.content(uri)
  local err = 'no server is running that has the text of ' .. uri
  for _, client in ipairs(M.running()) do
    local method, params = 'workspace/textDocumentContent', { uri = uri }
    local answer, failure
    if nvim_011 then
      answer, failure = client:request_sync(method, params, CONTENT_TIMEOUT_MS)
    else
      answer, failure = client.request_sync(method, params, CONTENT_TIMEOUT_MS, 0)
    end
    if answer and answer.result then
      return answer.result.text
    end
    err = answer and answer.err and answer.err.message or failure or err
  end
  return nil, err
end

---Returns the buffer of a URI, also of one that `M.document` returned.
---@param uri string
---@return integer bufnr
function M.buffer(uri)
  return tonumber(uri:match('^untitled:(%d+)$')) or vim.uri_to_bufnr(uri)
end

---Returns the LSP position of a place in a buffer.
---@param client vim.lsp.Client
---@param bufnr integer
---@param row integer 1-based
---@param col integer 0-based, in bytes
---@return lsp.Position
function M.position(client, bufnr, row, col)
  local line = api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ''
  col = math.min(col, #line)
  local encoding = client.offset_encoding or 'utf-16'
  local character = col
  if encoding ~= 'utf-8' then
    if nvim_011 then
      character = vim.str_utfindex(line, encoding, col, false)
    else
      local utf32, utf16 = vim.str_utfindex(line, col)
      character = encoding == 'utf-32' and utf32 or utf16
    end
  end
  return { line = row - 1, character = character }
end

---Returns the place of an LSP position in a buffer, as |nvim_win_set_cursor()| takes it;
---the nearest place when the buffer has changed since.
---@param encoding string
---@param bufnr integer
---@param position lsp.Position
---@return integer[] position
function M.cursor(encoding, bufnr, position)
  local row = math.min(position.line + 1, api.nvim_buf_line_count(bufnr))
  local line = api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ''
  if encoding == 'utf-8' then
    return { row, math.min(position.character, #line) }
  elseif nvim_011 then
    return { row, vim.str_byteindex(line, encoding, position.character, false) }
  end
  local utf32, utf16 = vim.str_utfindex(line)
  local longest = encoding == 'utf-32' and utf32 or utf16
  return { row, vim.str_byteindex(line, math.min(position.character, longest), encoding == 'utf-16') }
end

---The functions that end the open questions of a client with an error.
local waiting = {} ---@type table<integer, table<fun(err: string), true>>

---Ends the open questions of a client whose server has ended.
---@param client_id integer
function M.on_exit(client_id)
  local open = waiting[client_id] or {}
  waiting[client_id] = nil
  for give_up in pairs(open) do
    give_up('the server has ended; the next question starts it')
  end
end

---Runs a command of the server.
---@param client vim.lsp.Client
---@param bufnr integer its pending changes are sent before
---@param command string
---@param argument table
---@param cb fun(err: string?, result: any) called once, in the main loop; not after a cancel
---@param token string? of its progress
---@return fun() cancel
function M.execute(client, bufnr, command, argument, cb, token)
  local over = false
  local function finish(err, result)
    if over then
      return
    end
    over = true
    if waiting[client.id] then
      waiting[client.id][finish] = nil
    end
    cb(err, result)
  end
  waiting[client.id] = waiting[client.id] or {}
  waiting[client.id][finish] = true

  local params = { command = command, workDoneToken = token }
  if next(argument) then
    params.arguments = { argument }
  end
  local function handler(err, result)
    finish(err and (err.message or tostring(err)), result)
  end
  local ok, id
  if nvim_011 then
    ok, id = client:request('workspace/executeCommand', params, handler, bufnr)
  else
    ok, id = client.request('workspace/executeCommand', params, handler, bufnr)
  end
  if not ok then
    vim.schedule(function()
      finish('the server has ended; the next question starts it')
    end)
  end
  return function()
    if over then
      return
    end
    over = true
    waiting[client.id][finish] = nil
    if ok and nvim_011 then
      client:cancel_request(id)
    elseif ok then
      client.cancel_request(id)
    end
  end
end

return M
