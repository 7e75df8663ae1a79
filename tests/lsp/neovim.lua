-- What a person does in Neovim, without the person. `wanted` holds the command and files; what was seen goes to wanted.seen.
local wanted = vim.fn.json_decode(vim.fn.readfile(vim.env.REDRAFT_NEOVIM_TEST))
local seen = {}

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function found()
  local codes = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    local lsp = diagnostic.user_data and diagnostic.user_data.lsp
    table.insert(codes, lsp and lsp.code or diagnostic.code)
  end
  table.sort(codes)
  return codes
end

local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then
    error(what .. ": " .. text() .. " " .. vim.inspect(vim.diagnostic.get(0)))
  end
end

local function has(code)
  return vim.tbl_contains(found(), code)
end

local function act(client, choose)
  local parameters = vim.lsp.util.make_range_params()
  -- Neovim 0.7 gives its own copy of them back, with columns in bytes; later ones have no such function.
  local lines = vim.lsp.diagnostic.get_line_diagnostics
  parameters.context = { diagnostics = lines and lines(0) or {} }
  local answer = client.request_sync("textDocument/codeAction", parameters, 60000, 0)
  for _, action in ipairs(answer.result) do
    if choose(action) then
      if action.edit then
        vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
      else
        client.request_sync("workspace/executeCommand", action.command, 60000, 0)
      end
      return
    end
  end
  error("no such action: " .. vim.inspect(answer))
end

local ok, failure = pcall(function()
  vim.cmd("edit " .. vim.fn.fnameescape(wanted.file))
  local id = vim.lsp.start_client({ name = "redraft", cmd = wanted.command, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)

  wait("nothing was found on opening", function() return #found() >= 2 end)
  seen.opened = found()

  vim.api.nvim_win_set_cursor(0, { 1, string.find(text(), "go ") - 1 })
  act(client, function(action) return action.isPreferred and action.title:find("goes") end)
  seen.fixed = text()
  wait("the fix is not seen", function() return not has("agreement") end)

  vim.cmd("undo")
  seen.undone = text()
  wait("the undo is not seen", function() return has("agreement") end)

  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("GoMy freind likes music and and tea. <Esc>", true, false, true), "x", false)
  seen.typed = text()
  wait("what was typed is not found", function() return has("spelling") end)

  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(0), 4 })
  act(client, function(action) return action.title:find("your dictionary") end)
  wait("the dictionary is not used", function() return not has("spelling") end)
  seen.left = found()
  client.stop()
end)

seen.failure = not ok and tostring(failure) or nil
vim.fn.writefile({ vim.fn.json_encode(seen) }, wanted.seen)
vim.cmd("qall!")
