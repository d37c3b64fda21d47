---Asks the server the question of a context window again.
local M = {}

local api = vim.api
local render = require('ambit.view.render')
local state = require('ambit.view.state')

---How long typing rests before the window checks whether its answer is out of date.
local REST_MS = 500

---Returns the question of a view, with its pins and drops and the current position of its
---place; nil when the buffer of the place is gone.
---@param view ambit.View
---@return ambit.ContextOptions?
local function question(view)
  local opts = vim.deepcopy(view.opts)
  opts.pin, opts.drop = view.pin[1] and view.pin, view.drop[1] and view.drop
  local place = view.place
  if place then
    local at = api.nvim_buf_is_valid(place.bufnr) and api.nvim_buf_get_extmark_by_id(place.bufnr, state.namespace, place.mark, {})
    if not at or not at[1] then
      return nil
    end
    opts.bufnr, opts.position = place.bufnr, { at[1] + 1, at[2] }
  end
  return opts
end

---Asks again and shows the answer.
---@param bufnr integer
---@param undo fun()? called when the question fails
function M.again(bufnr, undo)
  local notify = require('ambit.notify')
  local view = state.views[bufnr]
  local opts = question(view)
  if not opts then
    return notify.error('the buffer of the question is gone')
  end
  if view.cancel then
    view.cancel()
  end
  view.cancel = require('ambit').context(opts, function(err, result)
    if state.views[bufnr] ~= view then
      return
    end
    view.cancel = nil
    if not result then
      if undo then
        undo()
      end
      return notify.error(err)
    end
    view.result = result
    render.answer(bufnr)
  end)
end

---Asks again after a rest. Shows in the bar, but not in the text, that the answer is
---another one.
---@param bufnr integer
function M.check(bufnr)
  local view = state.views[bufnr]
  view.checks = view.checks + 1
  local this = view.checks
  vim.defer_fn(function()
    local opts = state.views[bufnr] == view and view.checks == this and not view.stale and not view.cancel and question(view)
    if not opts then
      return
    end
    local shown = view.result
    require('ambit').context(opts, function(_, result)
      if state.views[bufnr] == view and view.result == shown and result and result.text ~= shown.text then
        view.stale = true
        render.bar(bufnr)
      end
    end)
  end, REST_MS)
end

return M
