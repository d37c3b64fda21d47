-- ambit in codecompanion.nvim 19 and later: #{ambit} and /ambit add the context of the cursor,
-- @{ambit} is a tool for the model.
--
--     require('codecompanion').setup({ extensions = { ambit = {} } })

local tool = require('ambit.adapters.tool')

---@return table # a tool of codecompanion
local function tool_of()
  return {
    name = tool.name,
    cmds = {
      -- The function returns nothing, so it is asynchronous.
      function(_, args, opts)
        tool.call(args or {}, nil, function(err, text)
          opts.output_cb(err and { status = 'error', data = err } or { status = 'success', data = text })
        end)
      end,
    },
    schema = {
      type = 'function',
      ['function'] = { name = tool.name, description = tool.description, parameters = tool.schema() },
    },
    output = {
      success = function(self, stdout, meta)
        meta.tools.chat:add_tool_output(self, table.concat(stdout, '\n'), 'ambit: context')
      end,
      error = function(self, stderr, meta)
        meta.tools.chat:add_tool_output(self, table.concat(stderr, '\n'))
      end,
    },
  }
end

---Returns the buffer from which the user opened a chat.
---@param chat table
---@return integer?
local function code_of(chat)
  local bufnr = chat.buffer_context and chat.buffer_context.bufnr
  return bufnr and vim.api.nvim_buf_is_valid(bufnr) and bufnr or nil
end

---Tells the user that this codecompanion lacks what the extension needs.
local function too_old()
  local version = require('codecompanion').version
  require('ambit.notify').error(
    ('codecompanion %s has no shared editor context, which ambit needs; update it to version 19 or later'):format(
      version and version() or '17 or older'
    )
  )
end

return {
  ---@param opts {tool: boolean?, slash_command: boolean?, editor_context: boolean?}? false leaves a part out
  setup = function(opts)
    opts = opts or {}
    local config = require('codecompanion.config')
    local shared = vim.tbl_get(config, 'interactions', 'shared', 'editor_context')
    if not shared then
      return too_old()
    end
    local chat = config.interactions.chat
    if opts.editor_context ~= false then
      shared.ambit = {
        description = 'The context of the symbol under the cursor',
        callback = function(self)
          return tool.at_cursor(code_of(self.Chat))
        end,
        opts = { contains_code = true, interactions = { 'chat' } },
      }
    end
    if opts.slash_command ~= false then
      chat.slash_commands.ambit = {
        description = 'Add the context of the symbol under the cursor',
        callback = function(this)
          local item = { id = '<ambit>cursor</ambit>', source = 'codecompanion._extensions.ambit' }
          this:add_message(
            { role = config.constants.USER_ROLE, content = tool.at_cursor(code_of(this)) },
            { context = { id = item.id }, visible = false }
          )
          this.context:add(item)
        end,
        opts = { contains_code = true },
      }
    end
    if opts.tool ~= false then
      chat.tools.ambit = { description = tool.description, callback = tool_of }
    end
  end,
  exports = { context = tool.at_cursor },
}
