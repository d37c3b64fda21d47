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

---Returns the name of the syntax file of a language, if there is one.
---@param name string
---@return string?
local function syntax_of(name)
  local syntax = SYNTAX[name] or name
  return #api.nvim_get_runtime_file(('syntax/%s.vim'):format(syntax), false) > 0 and syntax or nil
end

---The lines around the code of a source, by format: those above it, and those below it.
local AROUND = { xml = { 1, 1 }, plain = { 2, 0 }, human = { 2, 0 } }

---Colors the code of each source by the syntax file of its language, in the formats whose own
---syntax does not know code.
---@param bufnr integer
---@param result ambit.ContextResult
local function sources(bufnr, result)
  local above, below = unpack(AROUND[result.format])
  vim.bo[bufnr].syntax = result.format == 'xml' and 'xml' or '' -- ends what was there for another answer
  api.nvim_buf_call(bufnr, function()
    if result.format ~= 'xml' then
      vim.cmd('syntax clear')
    end
    local included = {}
    for _, source in ipairs(result.sources) do
      local syntax = source.text_lines and syntax_of(source.language)
      if syntax and not included[syntax] then
        included[syntax] = true
        pcall(vim.cmd, ('unlet! b:current_syntax | syntax include @ambit_%s syntax/%s.vim'):format(syntax, syntax))
      end
      if syntax then
        local first, last = source.text_lines[1] + above, source.text_lines[2] - below
        vim.cmd(([[syntax region ambitCode start=/\%%%dl^/ end=/\%%%dl$/ keepend contains=@ambit_%s]]):format(first, last, syntax))
      end
    end
  end)
end

---Colors the code of a context window. In Markdown, tree-sitter does when it has the parsers;
---else the syntax files of the languages do.
---@param bufnr integer
---@param result ambit.ContextResult
function M.code(bufnr, result)
  if AROUND[result.format] and vim.g.syntax_on then
    return sources(bufnr, result)
  end
  local names = languages(api.nvim_buf_get_lines(bufnr, 0, -1, false))
  if vim.bo[bufnr].filetype ~= 'markdown' or vim.iter(names):all(has_parser) then
    return
  end
  local fenced = {}
  for _, name in ipairs(names) do
    local syntax = syntax_of(name)
    if syntax then
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
