-- ambit in avante.nvim: a tool for the model.
--
--     require('avante').setup({ custom_tools = { require('ambit.adapters.avante') } })

local tool = require('ambit.adapters.tool')

local fields = vim.tbl_map(function(parameter)
  return vim.tbl_extend('error', parameter, { optional = true })
end, tool.parameters)

return {
  name = tool.name,
  description = tool.description,
  param = { type = 'table', fields = fields },
  returns = {
    { name = 'context', type = 'string', description = 'The code and documents, as XML' },
    { name = 'error', type = 'string', description = 'The next step, when there is no context', optional = true },
  },

  -- (input, { on_log, on_complete }); (input, on_log, on_complete) in older versions. The
  -- function returns nothing: the answer goes to on_complete.
  func = function(input, opts, on_complete)
    local on_log = type(opts) == 'table' and opts.on_log or opts
    on_complete = on_complete or opts.on_complete
    if type(on_log) == 'function' then
      on_log(tool.asked(input))
    end
    tool.call(input, nil, function(err, text)
      on_complete(text, err)
    end)
  end,
}
