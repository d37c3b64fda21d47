---@brief [[
---The chats of other plugins get context from ambit. Each adapter is a table that calls the
---Lua API.
---
---codecompanion.nvim, version 19 and later: `#{ambit}` in a message and the slash command
---`/ambit` add the context of the cursor; `@{ambit}` lets the model ask. >lua
---    require('codecompanion').setup({ extensions = { ambit = {} } })
---<
---CopilotChat.nvim: `#ambit` in a message adds the context of the cursor, `#ambit:` with a
---question adds the context of the question; `@ambit` lets the model ask. >lua
---    require('CopilotChat').setup({
---      functions = { ambit = require('ambit.adapters.copilotchat') },
---    })
---<
---avante.nvim: a tool for the model. >lua
---    require('avante').setup({
---      custom_tools = { require('ambit.adapters.avante') },
---    })
---<
---@brief ]]

---The tool for models, which all adapters share.
local M = {}

M.name = 'ambit'

M.description = 'Get the code and documents that belong with a question or a place in this workspace, '
  .. 'within a token budget: definitions, what they use, what uses them, tests and documents. '
  .. 'Give a symbol by its name, or a path with a line, or a query in words.'

---@type {name: string, type: string, description: string}[]
M.parameters = {
  { name = 'query', type = 'string', description = 'A question in words. Empty when you give a symbol or a path.' },
  { name = 'symbol', type = 'string', description = 'The name of a declaration: Cart.total, or total.' },
  {
    name = 'path',
    type = 'string',
    description = 'The file of the line, or the file or directory of the symbol; relative to the workspace.',
  },
  { name = 'line', type = 'integer', description = 'A line of that file, from 1.' },
  { name = 'budget', type = 'integer', description = 'Most tokens of the answer; 8000 by default.' },
}

---Returns the JSON schema of the parameters.
---@return table
function M.schema()
  local properties = {}
  for _, parameter in ipairs(M.parameters) do
    properties[parameter.name] = { type = parameter.type, description = parameter.description }
  end
  return { type = 'object', properties = properties, additionalProperties = false }
end

---Returns the buffer of the code that the user works on, not the buffer of the chat.
---@return integer
function M.code_buffer()
  local candidates = { vim.api.nvim_get_current_buf(), vim.fn.bufnr('#') }
  for _, winid in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    candidates[#candidates + 1] = vim.api.nvim_win_get_buf(winid)
  end
  local has_file = require('ambit.client').has_file
  for _, bufnr in ipairs(candidates) do
    if vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_buf_is_loaded(bufnr) and has_file(bufnr) then
      return bufnr
    end
  end
  return candidates[1]
end

---Returns the question of a call of the tool. The server refuses what is no file of the
---workspace, so no file is opened here.
---@param input {query: string?, symbol: string?, path: string?, line: integer|string|nil, budget: integer|string|nil}
---@param bufnr integer? the buffer of the code
---@return ambit.ContextOptions? opts
---@return string? err
function M.question(input, bufnr)
  local function given(name)
    return input[name] ~= '' and input[name] or nil
  end
  local opts = { ---@type ambit.ContextOptions
    bufnr = bufnr or M.code_buffer(),
    format = 'xml',
    agent = true,
    budget = tonumber(input.budget),
    symbol = given('symbol'),
    path = given('path'),
  }
  if opts.symbol or opts.path then
    opts.line = opts.path and tonumber(input.line)
  else
    opts.query = given('query')
    if not opts.query then
      return nil, 'give a symbol, or a path and a line, or a query'
    end
  end
  return opts
end

---Names what a call of the tool asks for, "" for nothing.
---@param input {query: string?, symbol: string?, path: string?, line: integer|string|nil}
---@return string
function M.asked(input)
  for _, name in ipairs({ 'symbol', 'path', 'query' }) do
    if input[name] and input[name] ~= '' then
      return name == 'path' and input.line and ('%s:%s'):format(input.path, input.line) or input[name]
    end
  end
  return ''
end

---Answers a call of the tool.
---@param input table
---@param bufnr integer?
---@param cb fun(err: string?, text: string?)
---@return fun()? cancel
function M.call(input, bufnr, cb)
  local opts, err = M.question(input, bufnr)
  if not opts then
    return cb(err)
  end
  return require('ambit').context(opts, function(problem, result)
    cb(problem, result and result.text)
  end)
end

---Returns the context of the cursor in the code, or the error as text.
---@param bufnr integer?
---@return string
function M.at_cursor(bufnr)
  local err, result = require('ambit').context({ bufnr = bufnr or M.code_buffer(), format = 'xml' })
  return result and result.text or ('ambit: ' .. err)
end

return M
