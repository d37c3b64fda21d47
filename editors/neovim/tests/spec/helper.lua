-- Helpers of the specs. t.test('a sentence', function) runs a test at once; t.done() ends
-- Neovim, with exit code 1 when a test failed.
local MAX_WAIT_MS = 120000 -- a busy machine needs less
local t = { failed = 0, home = vim.uv.os_homedir() }

---@param name string
---@param body fun()
function t.test(name, body)
  local start = vim.uv.hrtime()
  local ok, err = xpcall(body, debug.traceback)
  io.stdout:write(('%s %s (%d ms)\n'):format(ok and 'ok  ' or 'FAIL', name, (vim.uv.hrtime() - start) / 1e6))
  if not ok then
    t.failed = t.failed + 1
    io.stdout:write(err .. '\n')
  end
end

function t.done()
  vim.cmd(t.failed == 0 and 'qall!' or 'cquit 1')
end

---@param want any
---@param got any
function t.eq(want, got)
  if not vim.deep_equal(want, got) then
    error(('want %s\ngot  %s'):format(vim.inspect(want), vim.inspect(got)), 2)
  end
end

---@param part string
---@param whole string?
function t.has(part, whole)
  if not (whole or ''):find(part, 1, true) then
    error(('%q is not in %s'):format(part, vim.inspect(whole)), 2)
  end
end

---Waits until a condition holds. Neovim processes events while it waits.
---@param what string
---@param condition fun(): any
function t.wait(what, condition)
  if not vim.wait(MAX_WAIT_MS, function()
    return condition() and true or false
  end, 5) then
    error(('never: %s\nnotices: %s\ntext: %s'):format(what, t.notices(), t.text()), 2)
  end
end

---Calls a function with a callback. Returns the arguments of the callback.
---@param start fun(cb: fun(...))
function t.await(start)
  local answer
  start(function(...)
    assert(not answer, 'called twice')
    assert(not vim.in_fast_event(), 'not in the main loop')
    answer = { n = select('#', ...), ... }
  end)
  t.wait('an answer', function()
    return answer
  end)
  return unpack(answer, 1, answer.n)
end

---Opens a file below the home, with the cursor at the end of the first match of a pattern.
---@param name string
---@param pattern string?
---@return integer bufnr
function t.edit(name, pattern)
  vim.cmd.edit(vim.fn.fnameescape(t.home .. '/' .. name))
  if pattern then
    assert(vim.fn.search(pattern, 'cwe') > 0, pattern .. ' is not there')
  end
  return vim.api.nvim_get_current_buf()
end

---Waits until the workspace of the current buffer is indexed.
function t.ready()
  t.wait('ready', function()
    local _, status = require('ambit').status()
    return status and status.state == 'ready' and status.pending == 0
  end)
end

---Returns the notices since the last call.
function t.notices()
  local notices = t.noticed
  t.noticed = {}
  return table.concat(notices, '\n')
end

t.noticed = {}
vim.notify = function(message)
  table.insert(t.noticed, message)
end
vim.notify_once = vim.notify

---@param bufnr integer?
---@return string
function t.text(bufnr)
  return table.concat(vim.api.nvim_buf_get_lines(bufnr or 0, 0, -1, false), '\n')
end

return t
