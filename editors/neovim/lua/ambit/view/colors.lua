---Colors of the context windows: the highlight groups of the plugin, and those of code.
local M = {}

local api = vim.api

---The highlight groups, with the groups that they link to unless the user defines them.
local LINKS = {
  AmbitStale = 'WarningMsg', -- in the bar: the answer is out of date, or the index is incomplete
  AmbitPinned = 'DiagnosticInfo', -- the mark of a pinned source
  AmbitFold = 'Folded', -- the line of a closed source
  AmbitChunk = 'Comment', -- the line above a chunk
}

---Defines the highlight groups that are not defined.
function M.define()
  for name, link in pairs(LINKS) do
    api.nvim_set_hl(0, name, { default = true, link = link })
  end
end

---Names of languages in answers whose syntax file has another name.
local SYNTAX = { csharp = 'cs', jsx = 'javascriptreact', shell = 'sh', tsx = 'typescriptreact' }

---Returns whether tree-sitter can parse a language.
---@param name string
---@return boolean
local function has_parser(name)
  local ok, added = pcall(vim.treesitter.language.add, vim.treesitter.language.get_lang(name) or name)
  return ok and (added == true or vim.fn.has('nvim-0.11') == 0)
end

---Returns the languages of the blocks of code in Markdown, without Markdown itself.
---@param lines string[]
---@return string[]
local function languages(lines)
  local seen = {}
  for _, line in ipairs(lines) do
    local name = line:match('^```+(%w+)$')
    if name and name ~= 'markdown' then
      seen[name] = true
    end
  end
  return vim.tbl_keys(seen)
end

---Colors the code of a Markdown buffer. Tree-sitter does when it has the parsers; else the
---syntax files of the languages do.
---@param bufnr integer
function M.code(bufnr)
  local names = languages(api.nvim_buf_get_lines(bufnr, 0, -1, false))
  if vim.bo[bufnr].filetype ~= 'markdown' or vim.iter(names):all(has_parser) then
    return
  end
  local fenced = {}
  for _, name in ipairs(names) do
    local syntax = SYNTAX[name] or name
    if #api.nvim_get_runtime_file(('syntax/%s.vim'):format(syntax), false) > 0 then
      fenced[#fenced + 1] = ('%s=%s'):format(name, syntax)
    end
  end
  local users = vim.g.markdown_fenced_languages
  vim.g.markdown_fenced_languages = fenced
  pcall(vim.treesitter.stop, bufnr)
  vim.bo[bufnr].syntax = 'markdown'
  vim.g.markdown_fenced_languages = users
end

return M
