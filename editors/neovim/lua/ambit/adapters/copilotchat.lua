-- ambit in CopilotChat.nvim: #ambit:`a question` in a prompt, and a function for the model.
--
--     require('CopilotChat').setup({ functions = { ambit = require('ambit.adapters.copilotchat') } })

local tool = require('ambit.adapters.tool')

return {
  group = 'copilot',
  uri = 'ambit://context/{query}',
  description = tool.description,
  -- The text after #ambit: goes to the first parameter. Required parameters come first, so
  -- query is required; a model with a path and a line gives an empty query.
  schema = vim.tbl_extend('error', tool.schema(), { required = { 'query' } }),

  ---@param input {query: string?, symbol: string?, path: string?, line: integer?, budget: integer?}
  ---@param source {bufnr: integer} the buffer from which the user opened the chat
  ---@return {uri: string, name: string, mimetype: string, data: string}[]
  resolve = function(input, source)
    if vim.in_fast_event() then
      require('CopilotChat.utils').schedule_main()
    end
    local bufnr = source and source.bufnr
    local asked = tool.asked(input)
    local opts, err
    if asked == '' then
      opts = { bufnr = bufnr or tool.code_buffer(), format = 'xml' }
    else
      opts, err = tool.question(input, bufnr)
    end
    local result
    if opts then
      err, result = require('ambit').context(opts)
    end
    if not result then
      error('ambit: ' .. err, 0)
    end
    return {
      { uri = 'ambit://context/' .. asked, name = asked ~= '' and asked or 'cursor', mimetype = 'text/xml', data = result.text },
    }
  end,
}
