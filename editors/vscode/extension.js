// Starts `redraft lsp` and connects VS Code to it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const settings = workspace.getConfiguration("redraft");
  const [command, ...args] = settings.get("command");
  const schemes = ["file", "untitled"];
  const documentSelector = settings
    .get("languages")
    .flatMap((language) => schemes.map((scheme) => ({ scheme, language })));
  client = new LanguageClient("redraft", "Redraft", { command, args }, { documentSelector });
  await client.start();
};

exports.deactivate = () => client?.stop();
