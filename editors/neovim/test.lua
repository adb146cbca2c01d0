-- Tries the configuration in a real client: `nvim --headless -u NONE -l editors/neovim/test.lua PROGRAM`.
-- Exits with 1 and says why where something is not as expected.
local program = arg[1] or 'proofmark'
local folder = vim.fn.tempname()
vim.fn.mkdir(folder, 'p')
local here = debug.getinfo(1, 'S').source:sub(2):match('(.*)/')
local config = dofile(here .. '/proofmark.lua')
config.cmd = { program, 'lsp' }

local function check(what, holds, detail)
  if not holds then
    io.stderr:write('not ok: ' .. what .. ': ' .. vim.inspect(detail) .. '\n')
    os.exit(1)
  end
  print('ok: ' .. what)
end

local function edit(name, text)
  local path = folder .. '/' .. name
  vim.fn.writefile(vim.split(text, '\n'), path)
  vim.cmd.edit(path)
  return vim.api.nvim_get_current_buf()
end

-- Without pull, the server sends diagnostics.
local function attached(buffer, pulls)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  if not pulls then
    capabilities.textDocument.diagnostic = nil
  end
  local options = vim.tbl_extend('force', config, { name = 'proofmark', root_dir = folder, capabilities = capabilities })
  return vim.lsp.start(options, { bufnr = buffer, reuse_client = function() return false end })
end

local function diagnostics(buffer)
  vim.wait(5000, function() return #vim.diagnostic.get(buffer) > 0 end, 10)
  return vim.diagnostic.get(buffer)
end

local broken = '---\ntitle: Part 1: the plan\n---\n'
for _, pulls in ipairs({ true, false }) do
  local kind = pulls and 'pulled' or 'sent'
  local buffer = edit(kind .. '.md', broken)
  local id = attached(buffer, pulls)
  local found = diagnostics(buffer)
  check('diagnostics are ' .. kind, #found == 1 and found[1].code == 'YM101', found)
  local client = vim.lsp.get_client_by_id(id)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = found[1].user_data.lsp.range,
    context = { diagnostics = { found[1].user_data.lsp }, only = { 'quickfix' } },
  }
  local answer = client:request_sync('textDocument/codeAction', params, 5000, buffer)
  local preferred = vim.tbl_filter(function(action) return action.isPreferred end, answer.result)[1]
  check('a preferred fix is offered', preferred ~= nil, answer)
  vim.lsp.util.apply_workspace_edit(preferred.edit, client.offset_encoding)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  check('the fix is applied', text:find('"Part 1: the plan"', 1, true) ~= nil, text)
  client:stop(true)
end

local flow = 'flowchart LR\nstart --> finish\nfinish --> start\n'
local buffer = edit('a.mmd', flow)
local client = vim.lsp.get_client_by_id(attached(buffer, true))
local at = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = 1, character = 1 } }
local rename = client:request_sync('textDocument/rename', vim.tbl_extend('force', at, { newName = 'begin' }), 5000, buffer)
vim.lsp.util.apply_workspace_edit(rename.result, client.offset_encoding)
local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
check('a node is renamed', text:find('finish --> begin', 1, true) ~= nil, text)
local completion = client:request_sync('textDocument/completion', at, 5000, buffer)
check('proposals come', completion.result and #completion.result.items > 0, completion)
os.exit(0)
