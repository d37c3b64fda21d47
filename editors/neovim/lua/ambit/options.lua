---Checks the options of setup().
local M = {}

---@param values string[]
---@return fun(value: any): boolean is
---@return string expected
local function one_of(values)
  return function(value)
    return vim.list_contains(values, value)
  end, 'one of ' .. table.concat(values, ', ')
end

---@param value any
---@return boolean
local function is_command(value)
  return type(value) == 'function' or vim.islist(value) and #value > 0 and type(value[1]) == 'string'
end

---@param value any
---@return boolean
local function is_step(value)
  return type(value) == 'number' and value >= 1 and value % 1 == 0
end

---What an option may be, as a type or a function, and its description.
---@type table<string, {[1]: string|fun(value: any): boolean, [2]: string}>
local expected = {
  cmd = { is_command, "a command such as { 'ambit', 'lsp' }" },
  settings = { 'table', 'table' },
  enable = { 'boolean', 'boolean' },
  layout = { one_of({ 'split', 'vsplit', 'tab', 'float' }) },
  picker = { one_of({ 'snacks', 'telescope', 'fzf-lua', 'select' }) },
  budget_step = { is_step, 'a whole number from 1' },
}

---@param name string
---@param value any
---@return string? problem
local function problem(name, value)
  local want = expected[name]
  if not want then
    local names = vim.tbl_keys(expected)
    table.sort(names)
    return ('there is no option %s; the options are %s'):format(name, table.concat(names, ', '))
  end
  local ok, err
  if vim.fn.has('nvim-0.11') == 1 then
    ok, err = pcall(vim.validate, name, value, want[1], false, want[2])
  else
    ok, err = pcall(vim.validate, { [name] = { value, want[1], type(want[1]) == 'function' and want[2] or nil } })
  end
  return not ok and (err:match('^([^\n]*)')) or nil
end

---Returns the options that are valid, and one message about those that are not.
---@param opts table
---@return ambit.Options valid
---@return string? err
function M.check(opts)
  local valid, problems = {}, {}
  for name, value in vim.spairs(opts) do
    local err = problem(name, value)
    if err then
      problems[#problems + 1] = err
    else
      valid[name] = value
    end
  end
  return valid, problems[1] and ('setup() ignores what is wrong: %s'):format(table.concat(problems, '; ')) or nil
end

return M
