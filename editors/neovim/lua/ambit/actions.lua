---The subcommands of :Ambit and the code actions.
local M = {}

local api = vim.api
local notify = require('ambit.notify')

---Returns the options with a place: that of the code action, or else that of the cursor.
---@param opts table
---@param ctx lsp.HandlerContext? of a code action, whose argument the options then are
---@return table?
---@return string? err
local function place_of(opts, ctx)
  if not ctx then
    return require('ambit.places').here(opts)
  end
  local encoding = assert(vim.lsp.get_client_by_id(ctx.client_id)).offset_encoding
  return { bufnr = ctx.bufnr, position = require('ambit.client').cursor(encoding, ctx.bufnr, opts.position) }
end

---How long an answer may take before the screen says that it is under way.
local PATIENCE_MS = 300

---Says that an answer is under way, until the returned function is called.
---@return fun() done
local function waiting()
  local said = false
  local timer = vim.defer_fn(function()
    said = true
    api.nvim_echo({ { 'ambit: assembling the context …' } }, false, {})
  end, PATIENCE_MS)
  return function()
    if not timer:is_closing() then
      timer:close()
    end
    if said then
      api.nvim_echo({ { '' } }, false, {})
    end
  end
end

---Opens the context window. The user may have gone on by the time the answer is there: the
---window then opens beside the window of the question and does not take the focus.
---@param opts ambit.ContextOptions
---@param layout ambit.Layout?
---@param mods string?
function M.context(opts, layout, mods)
  local err
  opts, err = require('ambit.places').here(opts)
  if not opts then
    return notify.error(err)
  end
  opts.format = opts.format or 'markdown'
  local asked_from = api.nvim_get_current_win()
  local done = waiting()
  require('ambit').context(opts, function(problem, result)
    done()
    if not result then
      return notify.error(problem)
    end
    local here = api.nvim_get_current_win()
    local stays = here == asked_from and not api.nvim_get_mode().mode:match('^[iRt]')
    if not stays and api.nvim_win_is_valid(asked_from) then
      api.nvim_set_current_win(asked_from)
    end
    require('ambit.view').open(opts, result, layout, mods)
    if not stays then
      api.nvim_set_current_win(here)
    end
  end)
end

---Copies the text of an answer to the unnamed register, and to the clipboard if there is one.
---@param result ambit.ContextResult
function M.to_clipboard(result)
  vim.fn.setreg('"', result.text)
  local where = 'the unnamed register'
  if vim.fn.has('clipboard') == 1 then
    vim.fn.setreg('+', result.text)
    where = 'the clipboard'
  end
  notify.info(('%d tokens, %d sources in %s'):format(result.tokens, #result.sources, where))
end

---Returns the format of a copy: Markdown, unless the settings name a format or a template.
---@return string?
local function copy_format()
  local set = vim.tbl_get(require('ambit.client').config(), 'settings', 'ambit') or {}
  return not set.template and (set.format or 'markdown') or nil
end

---Copies a context.
---@param opts ambit.ContextOptions|{position: lsp.Position}
---@param ctx lsp.HandlerContext? of a code action
function M.copy(opts, ctx)
  local wrong
  opts, wrong = place_of(opts, ctx)
  if not opts then
    return notify.error(wrong)
  end
  opts.format = opts.format or copy_format()
  require('ambit').context(opts, function(err, result)
    if not result then
      return notify.error(err)
    end
    M.to_clipboard(result)
  end)
end

---Lists the places that are related to a place, and goes to the one that the user chooses.
---@param opts ambit.RelatedOptions|{position: lsp.Position}
---@param ctx lsp.HandlerContext? of a code action
function M.related(opts, ctx)
  local wrong
  opts, wrong = place_of(opts, ctx)
  if not opts then
    return notify.error(wrong)
  end
  require('ambit').related(opts, function(err, result)
    if not result then
      return notify.error(err)
    elseif #result.results == 0 then
      return notify.info('nothing is related to this place')
    end
    require('ambit.pickers').pick('Related', result)
  end)
end

---Searches for the query, or else while the user types one.
---@param opts ambit.SearchOptions
function M.search(opts)
  local pickers = require('ambit.pickers')
  if opts.path and vim.uv.fs_stat(opts.path) then -- a name of the working directory, and no pattern
    local relative, wrong = M.in_workspace(opts.path)
    if not relative then
      return notify.error(wrong)
    end
    opts = vim.tbl_extend('force', opts, { path = relative })
  end
  if not opts.query or opts.query == '' then
    return pickers.live(opts)
  end
  require('ambit').search(opts, function(err, result)
    if not result then
      return notify.error(err)
    elseif #result.results == 0 then
      return notify.info('nothing was found for ' .. opts.query)
    end
    pickers.pick(opts.query, result)
  end)
end

---Puts the sources into the quickfix list: those of the visible context, or else of a new one.
---@param opts ambit.ContextOptions
function M.quickfix(opts)
  local view = require('ambit.view').current()
  local places = require('ambit.places')
  if view and not opts.query then
    return places.quickfix(places.title(view.result, view.opts.query), view.result.sources, view.result.offset_encoding)
  end
  local here, wrong = places.here(opts)
  if not here then
    return notify.error(wrong)
  end
  require('ambit').context(here, function(err, result)
    if not result then
      return notify.error(err)
    end
    places.quickfix(places.title(result, opts.query), result.sources, result.offset_encoding)
  end)
end

---@param bytes integer
---@return string
local function size(bytes)
  return bytes < 1048576 and ('%.0f KB'):format(bytes / 1024) or ('%.1f MB'):format(bytes / 1048576)
end

---How many of the files left out `:Ambit status` lists.
local MAX_LEFT_OUT = 20

---@param result ambit.StatusResult
---@return string[]
local function status_lines(result)
  local lines = {}
  local function add(format, ...)
    lines[#lines + 1] = format:format(...)
  end
  for i, folder in ipairs(result.folders) do
    if i > 1 then
      add('')
    end
    add('%s', folder.root ~= '' and vim.fn.fnamemodify(folder.root, ':~') or 'documents without a folder')
    add('  %s%s', folder.state, folder.message ~= '' and ': ' .. folder.message or '')
    add('  %d files, %d pending, %d chunks, %s', folder.files, folder.pending, folder.chunks, size(folder.bytes))
    local languages = vim.tbl_keys(folder.languages)
    table.sort(languages, function(a, b)
      local m, n = folder.languages[a], folder.languages[b]
      return m > n or m == n and a < b
    end)
    for n, name in ipairs(languages) do
      languages[n] = name .. ' ' .. folder.languages[name]
    end
    if #languages > 0 then
      add('  %s', table.concat(languages, ', '))
    end
    if folder.masked > 0 then
      add('  %d secrets masked', folder.masked)
    end
    if folder.index ~= '' then
      add('  index %s, %s', vim.fn.fnamemodify(folder.index, ':~'), size(folder.index_bytes))
    end
    if #folder.left_out > 0 then
      add('  left out: %d files', #folder.left_out)
    end
    for n, file in ipairs(folder.left_out) do
      if n > MAX_LEFT_OUT then
        add('    … and %d more', #folder.left_out - MAX_LEFT_OUT)
        break
      end
      add('    %s: %s', file.path, file.reason)
    end
  end
  return lines
end

---Shows the status of the indexes. Updates it while the window is open.
function M.status()
  local title = 'ambit: status'
  local bufnr = api.nvim_get_current_buf()
  local winid ---@type integer?
  local asking, again = false, false
  local function ask()
    if asking then
      again = true -- the answer to come may be outdated
      return
    end
    asking, again = true, false
    require('ambit').status({ bufnr = bufnr }, function(err, result)
      asking = false
      if not result then
        return notify.error(err)
      elseif not winid then
        winid = require('ambit.float').open(title, status_lines(result))
      elseif api.nvim_win_is_valid(winid) then
        require('ambit.float').set(winid, title, status_lines(result))
      else
        return
      end
      if again then
        ask()
      end
    end)
  end
  ask()
  api.nvim_create_autocmd('User', {
    pattern = 'AmbitStatus',
    callback = function()
      if winid and not api.nvim_win_is_valid(winid) then
        return true -- deletes the autocommand
      end
      ask()
    end,
  })
end

---Returns a path that the user typed, which is relative to the working directory, relative to
---the workspace of the current buffer; "" for its root.
---@param path string
---@return string? path
---@return string? err
function M.in_workspace(path)
  local root = require('ambit.client').root(api.nvim_get_current_buf()) or vim.fn.getcwd()
  local full = vim.fs.normalize(vim.fn.fnamemodify(path, ':p')):gsub('(.)/$', '%1')
  local relative = M.relative(vim.fs.normalize(root), full)
  return relative, not relative and path .. ' is not in ' .. root or nil
end

---@param path string? of a file or directory
function M.reindex(path)
  local opts = { bufnr = api.nvim_get_current_buf() }
  if path and path ~= '' then
    local relative, wrong = M.in_workspace(path)
    if not relative then
      return notify.error(wrong)
    end
    opts.path = relative ~= '' and relative or nil
  end
  require('ambit').reindex(opts, function(err, result)
    if not result then
      return notify.error(err)
    end
    notify.info(('read %d files again'):format(result.files))
  end)
end

---@param url string? of the release
function M.install(url)
  notify.info('downloading the command…')
  require('ambit').install({ url = url ~= '' and url or nil }, function(err, result)
    if not result then
      return notify.error(err)
    end
    local first = vim.fn.exepath('ambit')
    local note = first ~= '' and ('; the one on your PATH, %s, is used before it'):format(first) or ''
    notify.info(('ambit %s is installed as %s%s'):format(result.version, result.path, note))
  end)
end

---Returns the path of a file relative to a directory, both normalized; nil when the file is
---not below it. Ignores the case of drive letters.
---@param root string
---@param path string
---@return string?
function M.relative(root, path)
  local function comparable(name)
    return (name:gsub('^(%a):', function(drive)
      return drive:upper() .. ':'
    end))
  end
  root, path = comparable(root), comparable(path)
  if path == root then
    return ''
  end
  local prefix = root:gsub('/$', '') .. '/'
  return vim.startswith(path, prefix) and path:sub(#prefix + 1) or nil
end

function M.pause()
  require('ambit').pause({}, function(err)
    if err then
      return notify.error(err)
    end
    notify.info('indexing is paused; :Ambit resume continues it')
  end)
end

function M.resume()
  require('ambit').resume({}, function(err)
    if err then
      return notify.error(err)
    end
    notify.info('indexing is resumed')
  end)
end

---Shows the terms of a score.
---@param e ambit.Explanation|ambit.Source
function M.show_explanation(e)
  local lines = { require('ambit.places').label(e) }
  if e.section and e.section ~= '' then
    lines[2] = 'shown in ' .. e.section
  end
  if e.omitted and e.omitted ~= '' then
    lines[#lines + 1] = 'not shown: ' .. e.omitted
  end
  lines[#lines + 1] = ''
  for _, why in ipairs(e.why) do
    lines[#lines + 1] = ('%10.4f  %s'):format(why.score, why.signal)
  end
  require('ambit.float').open('ambit: why', lines)
end

---Explains a source of the latest answer: by identifier, "path:line" or id, or else the
---source under the cursor.
---@param what string
function M.explain(what)
  local opts = { source = what }
  if what == '' then
    local name, wrong = M.in_workspace(api.nvim_buf_get_name(0))
    if not name then
      return notify.error(wrong)
    end
    opts.source = ('%s:%d'):format(name, api.nvim_win_get_cursor(0)[1])
  elseif what:match('^%x+%-%x+%-%x+%-%x+%-%x+$') then
    opts = { id = what }
  end
  require('ambit').explain(opts, function(err, result)
    if not result then
      return notify.error(err)
    end
    M.show_explanation(result)
  end)
end

return M
