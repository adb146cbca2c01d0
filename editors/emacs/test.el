;;; test.el --- Try the configuration in Emacs: emacs --batch -Q -l editors/emacs/test.el -- PROGRAM  -*- lexical-binding: t -*-

;;; Code:

(require 'eglot)
(require 'seq)
(defvar eglot-confirm-server-initiated-edits)
(defvar eglot-confirm-server-edits)
(load (expand-file-name "proofmark.el" (file-name-directory load-file-name)))

(defun proofmark-test-check (what holds detail)
  "Say that WHAT is as expected, if HOLDS; else show DETAIL and end."
  (unless holds
    (message "not ok: %s: %S" what detail)
    (kill-emacs 1))
  (message "ok: %s" what))

(let* ((program (car (last command-line-args)))
       (folder (file-name-as-directory (make-temp-file "proofmark" t)))
       (file (expand-file-name "a.md" folder))
       (eglot-sync-connect 10)
       (eglot-confirm-server-initiated-edits nil)
       (eglot-confirm-server-edits nil)
       (project-find-functions (list (lambda (_) (cons 'transient folder)))))
  (define-derived-mode markdown-mode text-mode "Markdown")
  (push (list 'markdown-mode program "lsp") eglot-server-programs)
  (write-region "---\ntitle: Part 1: the plan\n---\n" nil file)
  (find-file file)
  (markdown-mode)
  (apply #'eglot (eglot--guess-contact))
  (flymake-mode 1)
  (let ((tries 0))
    (while (and (null (flymake-diagnostics)) (< tries 100))
      (accept-process-output nil 0.1)
      (setq tries (1+ tries))))
  (let ((found (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))
    (proofmark-test-check "diagnostics come" (string-match-p "YM101" (format "%s" found)) found))
  (let ((fixes (eglot-code-actions (point-min) (point-max) "quickfix")))
    (proofmark-test-check "fixes are offered" fixes fixes)
    (let ((preferred (seq-find (lambda (fix) (eq (plist-get fix :isPreferred) t)) (append fixes nil)))
          (copy (expand-file-name "copy.md" folder)))
      (if (fboundp 'eglot-execute)
          (eglot-execute (eglot-current-server) preferred)
        (eglot--apply-workspace-edit (plist-get preferred :edit)))
      (copy-file file copy)
      (call-process program nil nil nil "fix" copy)
      (let ((expected (with-temp-buffer (insert-file-contents copy) (buffer-string))))
        (proofmark-test-check "the fix gives the text of `proofmark fix'"
                              (equal (buffer-string) expected) (buffer-string)))))
  (eglot-shutdown (eglot-current-server))
  (kill-emacs 0))

;;; test.el ends here
