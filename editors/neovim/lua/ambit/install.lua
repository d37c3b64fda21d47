---Takes the program from a release, when the user asks. Nothing else in the plugin uses the
---network. The program replaces an older one in one step, after its sum is that of the
---release and it has run.
local M = {}

---Where the files of the latest release are. docs/releasing.md says when this gets its value.
M.RELEASE = ''

---The directory of the program, which lsp/ambit.lua knows too.
local function home()
  return vim.fs.normalize(vim.fn.stdpath('data') --[[@as string]]) .. '/ambit'
end

local SYSTEMS = { Linux = 'linux', Darwin = 'darwin', Windows_NT = 'windows' }
local CPUS = { x86_64 = 'amd64', AMD64 = 'amd64', aarch64 = 'arm64', arm64 = 'arm64' }

---Runs a command. Called in a coroutine.
---@param cmd string[]
---@return string? err
---@return string out
local function run(cmd)
  if vim.fn.executable(cmd[1]) == 0 then
    return ('`%s` was not found; install it'):format(cmd[1]), ''
  end
  local thread = coroutine.running()
  vim.system(
    cmd,
    { text = true },
    vim.schedule_wrap(function(out)
      assert(coroutine.resume(thread, out))
    end)
  )
  local out = coroutine.yield() ---@type vim.SystemCompleted
  if out.code ~= 0 then
    local said = vim.trim(out.stderr or ''):match('[^\n]*$')
    return said ~= '' and said or ('`%s` ended with %d'):format(cmd[1], out.code), ''
  end
  return nil, out.stdout or ''
end

---Returns why no release is taken from an address; nil when one may be.
---@param url string
---@return string?
local function refused(url)
  if url == '' then
    return 'the address of the releases is not known yet; name one: `:Ambit install https://HOST/PATH`, where the release has its SHA256SUMS'
  elseif not (url:match('^https://[^%s]+$') or url:match('^http://127%.0%.0%.1[:/][^%s]*$')) then
    return ('%s is no address of a release; it must begin with https://'):format(url)
  end
end

---Downloads a file of the release.
---@param url string
---@param to string
---@return string? err
local function download(url, to)
  -- A redirection cannot leave HTTPS. A transfer that stands still for a minute ends.
  local cmd = { 'curl', '--fail', '--silent', '--show-error', '--location', '--proto', '=https,http', '--proto-redir', '=https' }
  vim.list_extend(cmd, { '--connect-timeout', '30', '--speed-time', '60', '--speed-limit', '1', '--output', to, url })
  local err = run(cmd)
  return err and ('download %s: %s; check the address and the network'):format(url, err)
end

---Returns the SHA-256 sum of a file, by the command that the system has for it.
---@param file string
---@return string? err
---@return string sum
local function sum_of(file)
  for _, cmd in ipairs({ { 'sha256sum', file }, { 'shasum', '-a', '256', file }, { 'certutil', '-hashfile', file, 'SHA256' } }) do
    if vim.fn.executable(cmd[1]) == 1 then
      local err, out = run(cmd)
      return err, out:match(('%x'):rep(64)) or ''
    end
  end
  return 'there is neither sha256sum nor shasum nor certutil to check the download; install one', ''
end

---Returns the archive for a platform in the text of SHA256SUMS.
---@param sums string
---@param platform string
---@return {file: string, version: string, sum: string}?
---@return string[] others the platforms that there are archives for
local function archive_in(sums, platform)
  local others = {}
  for sum, file in sums:gmatch('(%x+) [ *]([^\r\n]+)') do
    local name = file:match('^(.*)%.tar%.gz$') or file:match('^(.*)%.zip$') or ''
    local version, of = name:match('^ambit%-(%d[%w.-]*)%-(%w+%-%w+)$')
    if of == platform and #sum == 64 then
      return { file = file, version = version, sum = sum:lower() }, others
    end
    others[#others + 1] = of
  end
  return nil, others
end

---Puts the program of a release into a directory, and runs it once. Called in a coroutine.
---@param url string
---@param platform string
---@param dir string
---@return string? err
---@return string? version
---@return string? program
local function fetch(url, platform, dir)
  local err = download(url .. '/SHA256SUMS', dir .. '/SHA256SUMS')
  if err then
    return err
  end
  local archive, others = archive_in(vim.fn.join(vim.fn.readfile(dir .. '/SHA256SUMS'), '\n'), platform)
  if not archive then
    local has = others[1] and 'it has ' .. table.concat(others, ', ') or 'its SHA256SUMS names no archive of ambit'
    return ('the release at %s has nothing for %s: %s'):format(url, platform, has)
  end
  local file = dir .. '/' .. archive.file
  err = download(url .. '/' .. archive.file, file)
  if err then
    return err
  end
  local sum
  err, sum = sum_of(file)
  if err then
    return err
  elseif sum ~= archive.sum then
    return ('%s has the sum %s, and the release says %s; nothing was installed'):format(archive.file, sum, archive.sum)
  end
  err = run({ 'tar', '-xf', file, '-C', dir })
  if err then
    return ('unpack %s: %s'):format(archive.file, err)
  end
  local program = ('%s/ambit-%s-%s/%s'):format(dir, archive.version, platform, platform:match('^windows') and 'ambit.exe' or 'ambit')
  err = run({ program, 'version' })
  return err and ('ambit %s does not run here: %s'):format(archive.version, err), archive.version, program
end

---Installs the program. Called in a coroutine.
---@param url string
---@return string? err
---@return ambit.Installed?
local function install(url)
  local uname = vim.uv.os_uname()
  local system, cpu = SYSTEMS[uname.sysname], CPUS[uname.machine]
  if not (system and cpu) then
    return ('there is no release for %s on %s; build it with `make build`'):format(uname.sysname, uname.machine)
  end
  local bin = home() .. '/bin'
  vim.fn.mkdir(bin, 'p')
  local dir, problem = vim.uv.fs_mkdtemp(home() .. '/new-XXXXXX') -- beside bin, so that a rename moves the program
  if not dir then
    return ('make a directory for the download: %s'):format(problem)
  end
  local err, version, program = fetch(url, system .. '-' .. cpu, dir)
  local to = bin .. '/' .. (system == 'windows' and 'ambit.exe' or 'ambit')
  if not err then
    local _, stuck = vim.uv.fs_rename(program, to)
    err = stuck and ('replace %s: %s; end the Neovims that run it'):format(to, stuck)
  end
  vim.fn.delete(dir, 'rf')
  if err then
    return err
  end
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.config('ambit', {}) -- reads lsp/ambit.lua again, which looks for the program
  end
  return nil, { path = to, version = version }
end

---@param opts {url: string?}
---@param cb fun(err: string?, result: ambit.Installed?)
function M.start(opts, cb)
  local url = (opts.url or M.RELEASE):gsub('/+$', '')
  local err = refused(url)
  if err then
    return cb(err)
  end
  coroutine.wrap(function()
    cb(install(url))
  end)()
end

return M
