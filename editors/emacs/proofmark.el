;;; proofmark.el --- Use Proofmark with Eglot -*- lexical-binding: t -*-

;; Emacs 29 or later, or an earlier version with the package `eglot'. Load this file, then run `M-x eglot' in a document.

;;; Code:

(require 'eglot)

(add-to-list 'eglot-server-programs
             '((markdown-mode gfm-mode mermaid-mode yaml-mode yaml-ts-mode org-mode) . ("proofmark" "lsp")))

(provide 'proofmark)
;;; proofmark.el ends here
