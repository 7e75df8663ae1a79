;; What a person does in Emacs, without the person: `wanted' holds the set-up and the files; what was seen goes to seen.
(require 'package)
(package-initialize)
(require 'cl-lib)
(require 'json)

(defvar wanted (json-read-file (getenv "REDRAFT_EMACS_TEST")))
(defvar seen nil)
(defun wish (name) (alist-get name wanted))
(defun see (name value) (push (cons name value) seen))

(defun wait-for (what condition)
  (let ((end (time-add nil 30)) (turns 0))
    (while (and (not (funcall condition)) (time-less-p nil end))
      (accept-process-output nil 0.05)
      ;; Emacs 28 leaves a message that came together with a reply unread until the next one comes: so ask for something.
      (when (zerop (% (cl-incf turns) 10))
        (ignore-errors (eglot-code-actions (point-min) (point-min) "none")))))
  (or (funcall condition) (error "%s: %S" what (found))))

(defun found ()
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun has (text)
  (seq-some (lambda (found) (string-match-p text found)) (found)))

(defun open (file)
  (find-file file)
  ;; `eglot-ensure' waits for the end of the command, and there are no commands here.
  (run-hooks 'post-command-hook)
  (wait-for "no server" (lambda () (eglot-managed-p)))
  (flymake-start)
  (wait-for "nothing was found on opening" #'flymake-diagnostics))

(defun act (text kind &optional title)
  "Choose an action for TEXT as at the prompt: the one with TITLE, or the one that is offered first."
  (goto-char (point-min))
  (search-forward text)
  (let ((last-nonmenu-event ?x))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt actions &rest others)
                 (if title
                     (seq-find (lambda (action) (string-match-p title action)) (mapcar #'car actions))
                   (nth 4 others)))))
      (eglot-code-actions (match-beginning 0) (match-end 0) kind t))))

(condition-case failure
    (progn
      (load (wish 'setup) nil t)
      (require 'eglot)
      (open (wish 'letter))
      (see 'opened (found))

      (undo-boundary)
      (act "go " "quickfix")
      (see 'fixed (buffer-string))
      ;; Saving sends changes; without a keyboard Emacs is never idle, which is when it sends them otherwise.
      (save-buffer)
      (wait-for "the fix is not seen" (lambda () (not (has "goes"))))

      (undo-boundary)
      (undo-only)
      (see 'undone (buffer-string))
      (save-buffer)
      (wait-for "the undo is not seen" (lambda () (has "goes")))

      (goto-char (point-max))
      (insert "My freind likes music.\n")
      (save-buffer)
      (wait-for "what was typed is not found" (lambda () (has "freind")))
      (act "freind" nil "your dictionary")
      (wait-for "the dictionary is not used" (lambda () (not (has "freind"))))

      (eglot-code-actions nil nil "source.fixAll.redraft" t)
      (see 'all (buffer-string))
      (save-buffer)

      (open (wish 'message))
      (see 'message (found)))
  (error (see 'failure (format "%S" failure))))

(with-temp-file (wish 'seen) (insert (json-encode seen)))
(kill-emacs)
