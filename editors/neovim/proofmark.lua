-- Neovim 0.11 or later: save as `lsp/proofmark.lua` in the configuration folder, then `vim.lsp.enable('proofmark')`.
return {
  cmd = { 'proofmark', 'lsp' },
  filetypes = { 'markdown', 'mermaid', 'yaml', 'json', 'toml', 'org', 'quarto' },
  root_markers = { 'proofmark.toml', '.git' },
}
