;;; org_edits.el --- Edits of Org files, made by Emacs  -*- lexical-binding: t; -*-

;; Usage: SOURCE_DATE_EPOCH=… TZ=UTC emacs --batch -Q -l org_edits.el -f org-edits-run IN OUT
;;
;; IN is a JSON list of cases {"folder", "files": {NAME: TEXT}, "edit": {"op", "line", …}}. For each of them the files
;; are written to the folder, the edit is made in notes.org by the commands of Org with their default options, and
;; what the folder then has is an item of the list OUT: {"files": {NAME: TEXT}} or {"error": MESSAGE}.

(require 'org)
(require 'org-archive)
(require 'org-refile)
(require 'org-id)
(require 'org-clock)
(require 'org-list)
(require 'json)

;; The clock stands still.
(defconst org-edits-now
  (seconds-to-time (string-to-number (or (getenv "SOURCE_DATE_EPOCH") "0"))))
(advice-add 'current-time :override (lambda () org-edits-now))
(advice-add 'float-time :around (lambda (f &optional time) (funcall f (or time org-edits-now))))
(advice-add 'format-time-string :around
            (lambda (f format &optional time &rest zone) (apply f format (or time org-edits-now) zone)))
(advice-add 'decode-time :around (lambda (f &optional time &rest rest) (apply f (or time org-edits-now) rest)))
(advice-add 'time-less-p :around
            (lambda (f a b) (funcall f (or a org-edits-now) (or b org-edits-now))))
(advice-add 'org-time-less-p :around
            (lambda (f a b) (funcall f (or a org-edits-now) (or b org-edits-now))))
(advice-add 'time-subtract :around
            (lambda (f a b) (funcall f (or a org-edits-now) (or b org-edits-now))))
(advice-add 'org-today :override (lambda () (time-to-days org-edits-now)))
;; "10 repeater intervals were not enough to shift date past today.  Continue?"
(advice-add 'y-or-n-p :override (lambda (&rest _) t))

(set-language-environment "UTF-8")
(setq make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      enable-local-variables nil
      enable-local-eval nil
      org-id-track-globally nil
      org-bookmark-names-plist nil
      org-element-use-cache nil
      vc-handled-backends nil
      ;; Aligning the tables of the file when it is opened is not a part of an edit.
      org-inhibit-startup t
      find-file-hook nil
      inhibit-message t)

;; As in Org 9.8: Org 9.5 reads no drawer in which a tab follows the name of a property.
(setq org-property-drawer-re
      (concat "^[ \t]*:PROPERTIES:[ \t]*\n"
              "\\(?:[ \t]*:\\S-+:\\(?:[ \t].*\\)?[ \t]*\n\\)*?"
              "[ \t]*:END:[ \t]*$"))

(defun org-edits-get (edit key) (cdr (assq key edit)))

(defun org-edits-at (line)
  (goto-char (point-min))
  (forward-line (1- line))
  (org-back-to-heading t))

(defun org-edits-title (edit)
  "The title with the word COMMENT, which Org takes for a part of it."
  (concat (if (org-in-commented-heading-p t) "COMMENT " "") (org-edits-get edit 'title)))

(defun org-edits-add (edit)
  "Adds a headline by the commands that a person would use one after the other."
  (let* ((line (org-edits-get edit 'line))
         (level (if line (progn (org-edits-at line) (1+ (org-outline-level))) 1)))
    (if line (org-end-of-subtree t t) (goto-char (point-max)))
    (unless (bolp) (insert "\n"))
    (insert (make-string level ?*) " " (org-edits-get edit 'title) "\n")
    (forward-line -1)
    ;; A person writes the first keyword with the headline, so that it is not recorded.
    (when (org-edits-get edit 'state) (org-todo (org-edits-get edit 'state)) (setq org-log-setup nil))
    (org-edits-here)
    (when (org-edits-get edit 'tags) (org-set-tags (append (org-edits-get edit 'tags) nil)))
    (when (org-edits-get edit 'scheduled) (org-schedule nil (org-edits-get edit 'scheduled)))
    (org-edits-here)
    (when (org-edits-get edit 'deadline) (org-deadline nil (org-edits-get edit 'deadline)))
    (org-edits-here)
    (org-entry-put nil "ID" (org-edits-get edit 'id))
    (when (org-edits-get edit 'body)
      (outline-next-heading)
      (insert (org-edits-get edit 'body) "\n"))))

(defun org-edits-here () (org-back-to-heading t))

(defun org-edits-state (state note)
  "Sets the keyword STATE as a person does, with a prefix argument where a NOTE is to be taken."
  (if (not note)
      (org-todo (if (equal state "") 'none state))
    (setq-local org-todo-key-trigger t)
    (cl-letf (((symbol-function 'org-fast-todo-selection) (lambda (&rest _) state)))
      (let ((org-use-fast-todo-selection t))
        (org-todo '(4)))))
  (org-edits-log note))

(defun org-edits-log (&optional note)
  "Records the change with NOTE, as the command loop does after the command."
  (when org-log-setup
    (save-window-excursion
      (org-add-log-note)
      (when (equal (buffer-name) "*Org Note*")
        (when note (insert note))
        (org-store-log-note)))))

(defun org-edits-clock-in ()
  (let ((org-clock-persist nil) (org-clock-auto-clock-resolution nil) (org-clock-in-resume nil))
    (org-clock-in)
    (setq org-clock-marker (make-marker) org-clock-hd-marker (make-marker))))

(defun org-edits-clock-out ()
  "Clocks out of the running clock of the entry, as if it had been started in this session."
  (let ((end (save-excursion (outline-next-heading) (point))))
    (unless (re-search-forward "^[ \t]*CLOCK: *\\(\\[[^]\n]*\\]\\)[ \t]*$" end t)
      (error "No clock runs"))
    (goto-char (match-end 1))
    (let ((org-clock-out-when-done nil))
      (setq org-clock-start-time (org-time-string-to-time (match-string 1))
            org-clock-heading "x"
            org-clock-hd-marker (save-excursion (org-back-to-heading t) (point-marker))
            org-clock-marker (copy-marker (match-end 1) t))
      (org-clock-out))))

(defun org-edits-checkbox (item)
  (let ((end (save-excursion (outline-next-heading) (point))))
    (unless (re-search-forward (concat "^[ \t]*\\(?:[-+]\\|[0-9]+[.)]\\) \\[[- X]\\] .*" (regexp-quote item)) end t)
      (error "No such item"))
    (beginning-of-line)
    (org-toggle-checkbox)))

(defun org-edits-make (edit)
  (let ((op (org-edits-get edit 'op))
        (line (org-edits-get edit 'line)))
    (unless (equal op "add") (org-edits-at line))
    (pcase op
      ("state" (org-edits-state (org-edits-get edit 'state) (org-edits-get edit 'note)))
      ("schedule" (org-schedule nil (org-edits-get edit 'date)) (org-edits-log))
      ("deadline" (org-deadline nil (org-edits-get edit 'date)) (org-edits-log))
      ("unschedule" (org-schedule '(4)) (org-edits-log))
      ("undeadline" (org-deadline '(4)) (org-edits-log))
      ("property" (org-entry-put nil (org-edits-get edit 'key) (org-edits-get edit 'value)))
      ("unproperty" (org-entry-delete nil (org-edits-get edit 'key)))
      ("tags" (org-set-tags (append (org-edits-get edit 'tags) nil)))
      ("add-tag"
       (let ((tags (org-get-tags nil t)) (new (org-edits-get edit 'tag)))
         (unless (member new tags) (org-set-tags (append tags (list new))))))
      ("priority" (org-priority (string-to-char (org-edits-get edit 'priority))))
      ("title" (org-edit-headline (org-edits-title edit)))
      ("add" (org-edits-add edit))
      ("refile"
       (let* ((file (expand-file-name (org-edits-get edit 'file)))
              (target (org-edits-get edit 'target))
              (position (when target
                          (with-current-buffer (find-file-noselect file)
                            (save-excursion (org-edits-at target) (point))))))
         (org-refile nil nil (list "target" file nil position))))
      ("archive" (org-archive-subtree))
      ("promote" (org-promote-subtree))
      ("demote" (org-demote-subtree))
      ("up" (org-move-subtree-up))
      ("down" (org-move-subtree-down))
      ("delete" (org-cut-subtree))
      ("clock-in" (org-edits-clock-in))
      ("clock-out" (org-edits-clock-out))
      ("checkbox" (org-edits-checkbox (org-edits-get edit 'item)))
      (_ (error "No such edit: %s" op)))))

(defun org-edits-case (case)
  (let* ((folder (file-name-as-directory (org-edits-get case 'folder)))
         (default-directory folder)
         result)
    (dolist (file (directory-files folder t "org"))
      (delete-file file))
    (let ((coding-system-for-write 'utf-8-unix))
      (pcase-dolist (`(,name . ,text) (org-edits-get case 'files))
        (write-region text nil (expand-file-name (symbol-name name) folder) nil 'silent)))
    (setq result
          (condition-case problem
              (progn
                (with-current-buffer (find-file-noselect (expand-file-name "notes.org" folder))
                  (org-edits-make (org-edits-get case 'edit)))
                (save-some-buffers t (lambda () buffer-file-name))
                nil)
            (error (error-message-string problem))))
    (dolist (buffer (buffer-list))
      (when (buffer-file-name buffer)
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer)))
    (if result
        `((error . ,result))
      `((files . ,(mapcar (lambda (file)
                            (cons (intern (file-name-nondirectory file))
                                  (with-temp-buffer
                                    (let ((coding-system-for-read 'utf-8-unix))
                                      (insert-file-contents file))
                                    (buffer-string))))
                          (directory-files folder t "org")))))))

(defun org-edits-run ()
  (let* ((in (pop command-line-args-left))
         (out (pop command-line-args-left))
         (cases (with-temp-buffer
                  (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents in))
                  (json-parse-buffer :object-type 'alist :array-type 'list :null-object nil
                                     :false-object nil)))
         (results (mapcar #'org-edits-case cases))
         (coding-system-for-write 'utf-8-unix))
    (write-region (json-serialize (vconcat results)) nil out nil 'silent)))

;;; org_edits.el ends here
