---Hover beside that of the language server in Neovim 0.10, which shows the hover of one client
---only. Later versions show all of them.
local M = {}

local api = vim.api
local METHOD = 'textDocument/hover'

---Returns the window with the hover of a buffer.
---@param bufnr integer
---@return integer?
local function shown(bufnr)
  for _, winid in ipairs(api.nvim_tabpage_list_wins(0)) do
    if vim.w[winid][METHOD] == bufnr then
      return winid
    end
  end
end

---Adds lines to a floating window.
---@param winid integer
---@param lines string[]
local function add(winid, lines)
  local bufnr = api.nvim_win_get_buf(winid)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, -1, -1, false, vim.list_extend({ '' }, lines))
  vim.bo[bufnr].modifiable = false
  local width = api.nvim_win_get_width(winid)
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local height = api.nvim_win_get_height(winid) + #lines + 1
  api.nvim_win_set_config(winid, { width = math.min(width, vim.o.columns - 4), height = math.max(math.min(height, vim.o.lines - 4), 1) })
end

---Shows the hover of ambit below that of the other clients, or alone when they have none. The
---window is theirs, with the look that the user gave it.
---@param err lsp.ResponseError?
---@param result lsp.Hover?
---@param ctx lsp.HandlerContext
---@param config table?
function M.handler(err, result, ctx, config)
  local others = vim.tbl_filter(function(client)
    return client.id ~= ctx.client_id
  end, vim.lsp.get_clients({ bufnr = ctx.bufnr, method = METHOD }))
  local waiting, found = #others, false
  local function show()
    local winid = shown(ctx.bufnr)
    if not found then
      vim.lsp.handlers[METHOD](err, result, ctx, config)
    elseif winid and result and result.contents then
      add(winid, vim.lsp.util.convert_input_to_markdown_lines(result.contents))
    end
  end
  if waiting == 0 then
    return show()
  end
  -- Their windows are theirs to open: the same question again tells when they have answered.
  for _, client in ipairs(others) do
    local sent = client.request(METHOD, ctx.params, function(_, theirs)
      waiting, found = waiting - 1, found or theirs ~= nil and theirs.contents ~= nil
      if waiting == 0 then
        show()
      end
    end, ctx.bufnr)
    waiting = sent and waiting or waiting - 1
  end
  if waiting == 0 and not found then
    show()
  end
end

return M
