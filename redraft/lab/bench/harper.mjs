// Checks a line of JSON at a time with harper.js: {"text"} in, {"findings", "megabytes"} out. The folder that holds
// node_modules is the first argument.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const load = (name) => import(pathToFileURL(resolve(process.argv[2], 'node_modules/harper.js/dist', name)).href);
const [{ LocalLinter, SuggestionKind }, { binary }] = [await load('index.js'), await load('binary.js')];
const linter = new LocalLinter({ binary });
await linter.setup();

// The replacement for the text between start and end.
function replacement(suggestion, problem) {
  const kind = suggestion.kind();
  if (kind === SuggestionKind.Remove) return '';
  const text = suggestion.get_replacement_text();
  return kind === SuggestionKind.InsertAfter ? problem + text : text;
}

for await (const line of createInterface({ input: process.stdin })) {
  const lints = await linter.lint(JSON.parse(line).text, { language: 'plaintext' });
  const findings = lints.map((lint) => ({
    start: lint.span().start,
    end: lint.span().end,
    replacements: lint.suggestions().map((suggestion) => replacement(suggestion, lint.get_problem_text())),
  }));
  process.stdout.write(`${JSON.stringify({ findings, megabytes: process.memoryUsage().rss / 2 ** 20 })}\n`);
}
