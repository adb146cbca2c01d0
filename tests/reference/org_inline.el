;;; org_inline.el --- How Emacs reads inline tasks  -*- lexical-binding: t; -*-

;; Usage: emacs --batch -Q -l org_inline.el -f org-inline-write FILE.org OUT.json
;;
;; OUT has one object for each headline and inline task that the commands of Org find with `org-inlinetask' loaded: its
;; line, stars, keyword, priority, title, tags, dates, and properties, whether it is an inline task, the line of the
;; headline that it is below, and where an inline task ends.

(require 'org)
(require 'org-inlinetask)
(require 'json)

(defun org-inline-text (value) (and value (substring-no-properties value)))

(defun org-inline-parent (inline)
  "The line of the headline above; that of an inline task is the headline of its section."
  (save-excursion
    (if inline
        (and (ignore-errors (org-with-limited-levels (org-back-to-heading t) t)) (line-number-at-pos))
      (and (org-up-heading-safe) (line-number-at-pos)))))

(defun org-inline-entry ()
  (let ((inline (and (org-inlinetask-at-task-p) t)))
    (list (cons 'line (line-number-at-pos))
          (cons 'level (save-excursion (skip-chars-forward "*")))
          (cons 'inline (or inline :json-false))
          (cons 'parent (org-inline-parent inline))
          (cons 'todo (org-inline-text (org-get-todo-state)))
          (cons 'title (org-inline-text (org-get-heading t t t t)))
          (cons 'tags (vconcat (mapcar #'org-inline-text (org-get-tags nil t))))
          (cons 'element
                (let ((element (org-element-at-point)))
                  (list (cons 'type (symbol-name (org-element-type element)))
                        (cons 'scheduled (org-element-property :raw-value (org-element-property :scheduled element)))
                        (cons 'deadline (org-element-property :raw-value (org-element-property :deadline element)))
                        (cons 'id (org-inline-text (org-element-property :ID element)))
                        (cons 'effort (org-inline-text (org-element-property :EFFORT element)))
                        (cons 'ends (and inline
                                         (org-element-property :contents-end element)
                                         (line-number-at-pos (org-element-property :contents-end element))))))))))

(defun org-inline-write ()
  (let ((in (pop command-line-args-left)) (out (pop command-line-args-left)) (entries nil)
        (json-encoding-pretty-print t))
    (with-temp-buffer
      (insert-file-contents in)
      (org-mode)
      (setq case-fold-search nil)
      (org-map-entries (lambda () (push (org-inline-entry) entries))))
    (with-temp-file out
      (insert (json-encode (vconcat (nreverse entries))) "\n"))))
