;;; eglot.el --- a client from outside the project drives ambit lsp  -*- lexical-binding: t -*-

;; emacs -Q --batch -l eglot.el, with the workspace in AMBIT_TEST_WORKSPACE and ambit on
;; the path.  It exits with 0 when all is as it should be.

(require 'ert)
(require 'eglot)

(define-derived-mode go-mode prog-mode "Go")
(defvar test-root (file-name-as-directory (getenv "AMBIT_TEST_WORKSPACE")))
(setq project-find-functions (list (lambda (_) (cons 'transient test-root))))
(setq eglot-server-programs '((go-mode . ("ambit" "lsp"))))
;; The machine may be busy.
(setq eglot-sync-connect 300 eglot-connect-timeout 300 jrpc-default-request-timeout 300)

(defun test-run (server command argument)
  "Let SERVER run COMMAND with ARGUMENT and return the answer as text."
  (format "%S" (jsonrpc-request server :workspace/executeCommand
                                (list :command command :arguments (vector argument)))))

(ert-deftest test-eglot ()
  (find-file (expand-file-name "cart.go" test-root))
  (go-mode)
  (apply #'eglot (eglot--guess-contact))
  (let ((server (eglot-current-server)))
    (should server)
    (should (eglot-server-capable :hoverProvider))
    (test-run server "ambit.reindex" nil)
    ;; What is saved.
    (goto-char (point-min))
    (search-forward ") Total")
    (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
      (should (string-match-p "priceOf" (format "%S" hover))))
    (should (string-match-p "Cart\\.Total" (test-run server "ambit.context" (eglot--TextDocumentPositionParams))))
    ;; What is not.
    (goto-char (point-max))
    (insert "\nfunc zebraDiscount() int { return 1 }\n")
    (eglot--signal-textDocument/didChange)
    (should (string-match-p "zebraDiscount" (test-run server "ambit.search" '(:query "zebraDiscount"))))
    (set-buffer-modified-p nil)
    (eglot-shutdown server nil 300)))

(ert-run-tests-batch-and-exit)
