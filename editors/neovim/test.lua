-- Tries the configuration in a real client: `PROOFMARK=PROGRAM nvim --headless -u NONE -c 'luafile editors/neovim/test.lua'`.
-- Exits with 1 and says why where something is not as expected. Neovim 0.7 has no function `vim.lsp.start` and does not pull
-- diagnostics: it is tried as a client to which diagnostics are sent.
local program = vim.env.PROOFMARK or 'proofmark'
local folder = vim.fn.tempname()
vim.fn.mkdir(folder, 'p')
local here = debug.getinfo(1, 'S').source:sub(2):match('(.*)/')
local config = dofile(here .. '/proofmark.lua')
config.cmd = { program, 'lsp' }
local is_old = vim.lsp.start == nil
local version = vim.version()

local function finish(code)
  vim.cmd(code == 0 and 'qa!' or 'cq')
end

local function check(what, holds, detail)
  if not holds then
    error(what .. ': ' .. vim.inspect(detail))
  end
  io.stdout:write('ok: Neovim ' .. version.major .. '.' .. version.minor .. ': ' .. what .. '\n')
end

local function edit(name, text)
  local path = folder .. '/' .. name
  vim.fn.writefile(vim.split(text, '\n'), path)
  vim.cmd('edit ' .. path)
  return vim.api.nvim_get_current_buf()
end

-- Without pull, the server sends diagnostics.
local function attached(buffer, pulls)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  if not pulls then
    capabilities.textDocument.diagnostic = nil
  end
  local options = vim.tbl_extend('force', config, { name = 'proofmark', root_dir = folder, capabilities = capabilities })
  local id
  if is_old then
    id = vim.lsp.start_client(options)
    vim.lsp.buf_attach_client(buffer, id)
  else
    id = vim.lsp.start(options, { bufnr = buffer, reuse_client = function() return false end })
  end
  vim.wait(5000, function()
    local client = vim.lsp.get_client_by_id(id)
    return client and (client.initialized or vim.lsp.buf_is_attached(buffer, id))
  end, 10)
  return vim.lsp.get_client_by_id(id)
end

local function request(client, method, params, buffer)
  if is_old then
    return client.request_sync(method, params, 5000, buffer)
  end
  return client:request_sync(method, params, 5000, buffer)
end

local function stop(client)
  if is_old then
    client.stop(true)
  else
    client:stop(true)
  end
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

local function fixed_by_the_program(text)
  local path = folder .. '/command.md'
  vim.fn.writefile(vim.split(text, '\n'), path)
  vim.fn.system({ program, 'fix', path })
  return table.concat(vim.fn.readfile(path), '\n')
end

local function try()
  local broken = '---\ntitle: Part 1: the plan\n---\n'
  for _, pulls in ipairs(is_old and { false } or { true, false }) do
    local kind = pulls and 'pulled' or 'sent'
    local buffer = edit(kind .. '.md', broken)
    local client = attached(buffer, pulls)
    vim.wait(5000, function() return #vim.diagnostic.get(buffer) > 0 end, 10)
    local found = vim.diagnostic.get(buffer)
    check('diagnostics are ' .. kind, #found == 1 and (is_old or found[1].code == 'YM101'), found)
    local place = function(line, column) return { line = line, character = column } end
    local params = {
      textDocument = { uri = vim.uri_from_bufnr(buffer) },
      range = { start = place(found[1].lnum, found[1].col), ['end'] = place(found[1].end_lnum, found[1].end_col) },
      context = { diagnostics = {}, only = { 'quickfix' } },
    }
    local answer = request(client, 'textDocument/codeAction', params, buffer)
    local preferred = vim.tbl_filter(function(action) return action.isPreferred end, answer.result)[1]
    check('a preferred fix is offered', preferred ~= nil, answer)
    if preferred.edit == nil then
      preferred = request(client, 'codeAction/resolve', preferred, buffer).result
    end
    vim.lsp.util.apply_workspace_edit(preferred.edit, client.offset_encoding)
    local expected = fixed_by_the_program(broken)
    check('the fix gives the text of `proofmark fix`', vim.trim(text_of(buffer)) == vim.trim(expected), text_of(buffer))
    stop(client)
  end

  local buffer = edit('a.mmd', 'flowchart LR\nstart --> finish\nfinish --> start\n')
  local client = attached(buffer, not is_old)
  local at = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = 1, character = 1 } }
  local rename
  -- The buffer is opened after the answer to `initialize`.
  vim.wait(5000, function()
    rename = request(client, 'textDocument/rename', vim.tbl_extend('force', at, { newName = 'begin' }), buffer)
    return rename and rename.result
  end, 50)
  check('a node can be renamed', rename and rename.result, rename)
  vim.lsp.util.apply_workspace_edit(rename.result, client.offset_encoding)
  check('a node is renamed', text_of(buffer):find('finish --> begin', 1, true) ~= nil, text_of(buffer))
  local completion = request(client, 'textDocument/completion', at, buffer)
  check('proposals come', completion.result and #completion.result.items > 0, completion)
end

local succeeded, problem = pcall(try)
if not succeeded then
  io.stderr:write('not ok: ' .. tostring(problem) .. '\n')
end
finish(succeeded and 0 or 1)
