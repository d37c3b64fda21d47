;;; ambit.el --- The context of the symbol at point -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; M-x ambit-context shows what belongs with the symbol at point, M-x ambit-copy puts it into
;; the kill ring.  With a prefix argument both ask for a question in words.  They run the
;; command `ambit', so they work beside any language server, and read files as they are saved.

;;; Code:

(defgroup ambit nil "The context of a symbol." :group 'tools)

(defcustom ambit-command "ambit" "The command that is run." :type 'string)

(defcustom ambit-budget 8000 "The largest number of tokens of a context." :type 'natnum)

(defun ambit--place ()
  "Return point as FILE:LINE:COLUMN, with the column in bytes from 1."
  (unless buffer-file-name
    (user-error "This buffer has no file; ask in words with C-u M-x ambit-context"))
  (when (buffer-modified-p)
    (message "ambit reads %s as it is saved" (buffer-name)))
  (format "%s:%d:%d" (expand-file-name buffer-file-name) (line-number-at-pos nil t)
          (1+ (string-bytes (buffer-substring-no-properties (line-beginning-position) (point))))))

(defun ambit--question (words)
  "Return the arguments of a question, in words when WORDS is non-nil."
  (if words (list "--query" (read-string "Question: ")) (list (ambit--place))))

(defun ambit--ask (question)
  "Return the context that answers QUESTION, a list of arguments, as Markdown."
  (let ((errors (make-temp-file "ambit")))
    (unwind-protect
        (with-temp-buffer
          (let* ((coding-system-for-read 'utf-8)
                 (status (apply #'call-process ambit-command nil (list t errors) nil "context" "--format" "markdown"
                                "--budget" (number-to-string ambit-budget) question)))
            (unless (eq status 0)
              (insert-file-contents errors)
              (user-error "%s" (string-trim (buffer-string))))
            (buffer-string)))
      (delete-file errors))))

;;;###autoload
(defun ambit-context (words)
  "Show the context of the symbol at point, or with WORDS of a question."
  (interactive "P")
  (let ((text (ambit--ask (ambit--question words))))
    (with-current-buffer (get-buffer-create "*ambit*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert text))
      (if (fboundp 'markdown-view-mode) (markdown-view-mode) (special-mode))
      (goto-char (point-min)))
    (pop-to-buffer "*ambit*")))

;;;###autoload
(defun ambit-copy (words)
  "Copy the context of the symbol at point, or with WORDS of a question."
  (interactive "P")
  (kill-new (ambit--ask (ambit--question words)))
  (message "The context is in the kill ring: C-y pastes it"))

(provide 'ambit)
;;; ambit.el ends here
