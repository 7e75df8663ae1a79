/** The decoding of a sentence as plain text and as a web page of its own, to be sent to other people. */
import type { Block, Trace } from "./server";

export interface TracedPolicy {
  readonly name: string;
  readonly idea: string;
  readonly trace: Trace;
}

const STYLE = `body { font: 16px/1.6 Georgia, serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #211f1b; background: #fffdf9 }
h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin: 1.6rem 0 0 } p { margin: 0.2rem 0 } li { white-space: pre-wrap }
.accepted { background: #dcefe6; color: #14463a } .own { background: #f6c177; color: #2e1d00 } del { color: #625c52 }
footer, .idea { color: #625c52; font-size: 0.9rem }`;

export function traceToText(policies: readonly TracedPolicy[]): string {
  const { source, target } = policies[0]!.trace;
  const lines = [`Sentence: ${source}`, `Result:   ${target}`, "", "Each line is a decoder call of the first pass: accepted [model’s own token] ~rejected~"];
  for (const { name, trace } of policies) {
    lines.push("", `${name}: ${calls(trace)}`);
    trace.blocks.forEach((block, place) => lines.push(`${String(place + 1).padStart(3)}. ${blockToText(block)}`));
  }
  return `${lines.join("\n")}\n`;
}

function blockToText(block: Block): string {
  const rejected = block.rejected ? ` ~${block.rejected}~` : "";
  return `${acceptedOf(block)}[${block.own || "end"}]${rejected}`;
}

/** A complete page that loads nothing and runs no script. */
export function traceToHtml(policies: readonly TracedPolicy[], about: string): string {
  const { source, target } = policies[0]!.trace;
  const sections = policies.map(
    ({ name, idea, trace }) =>
      `<h2>${escape(name)}: ${calls(trace)}</h2>\n<p class="idea">${escape(idea)}</p>\n<ol>\n${trace.blocks.map(blockToHtml).join("\n")}\n</ol>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>How a sentence was decoded</title>
<style>${STYLE}</style>
<h1>How a sentence was decoded</h1>
<p>Sentence: ${escape(source)}</p>
<p>Result: ${escape(target)}</p>
<p class="idea">Each row is one decoder call of the first pass, which verifies a draft: tokens that the model <span class="accepted">agrees with</span>, one token of <b class="own">its own</b>, and the <del>rejected</del> rest.</p>
${sections.join("\n")}
<footer>${escape(about)}</footer>
</html>
`;
}

function blockToHtml(block: Block): string {
  const accepted = acceptedOf(block);
  return [
    "<li>",
    accepted && `<span class="accepted">${escape(accepted)}</span>`,
    `<b class="own">${escape(block.own || "end")}</b>`,
    block.rejected && `<del>${escape(block.rejected)}</del>`,
    "</li>",
  ].join("");
}

function acceptedOf(block: Block): string {
  return block.text.slice(0, block.text.length - block.own.length);
}

function calls({ calls }: Trace): string {
  return `${calls} ${calls === 1 ? "call" : "calls"}`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
