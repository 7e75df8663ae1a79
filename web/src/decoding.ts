/** Shows how three draft policies decode the sentence at the caret, call by call. */
import type { EditorView } from "@codemirror/view";
import { count, find, make } from "./elements";
import { sentenceAt } from "./findings";
import { copyText, saveFile } from "./clipboard";
import { languageOf } from "./languages";
import { UnreachableError, type Block, type Trace, isAbort, trace } from "./server";
import { toast } from "./toast";
import { traceToHtml, type TracedPolicy, traceToText } from "./trace_export";

const POLICIES = [
  { id: "refine", name: "Redraft", idea: "The next draft contains the corrections that the model predicted for later words." },
  {
    id: "suffix",
    name: "The paper’s rule",
    idea: "After a correction, single tokens until the place in the sentence is found again (ACL 2021).",
  },
  { id: "none", name: "Greedy decoding", idea: "No draft: one token for each call." },
] as const;
const PAUSE = 300;
const MAX_CACHED = 50;

export class Decoding {
  private readonly panel = find("decoding");
  private readonly body = find("traces");
  private readonly button = find<HTMLButtonElement>("show-decoding");
  private readonly traces = new Map<string, Record<string, Trace>>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | undefined;
  private sentence = "";
  /** What is shown, to be copied or saved. */
  private shown: readonly TracedPolicy[] = [];

  constructor(private readonly view: EditorView) {
    this.button.addEventListener("click", () => this.toggle());
    find("hide-decoding").addEventListener("click", () => {
      this.toggle(false);
      this.button.focus();
    });
    find("copy-decoding").addEventListener("click", () => void this.copy());
    find("save-decoding").addEventListener("click", () => {
      saveFile("decoding.html", traceToHtml(this.shown, find("about").textContent ?? ""), "text/html");
    });
  }

  toggle(open = this.panel.hidden): void {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    this.sentence = "";
    if (open) {
      this.update();
      this.panel.scrollIntoView({ block: "nearest" });
    } else this.running?.abort();
  }

  /** Height of the window that the panel covers at the bottom. */
  get height(): number {
    return this.panel.hidden || getComputedStyle(this.panel).position !== "sticky" ? 0 : this.panel.offsetHeight;
  }

  /** Shows the sentence at the caret, after the caret moved or the text was checked. */
  update(): void {
    if (this.panel.hidden) return;
    const { state } = this.view;
    const sentence = sentenceAt(state, state.selection.main.head)?.text ?? "";
    if (sentence === this.sentence) return;
    this.sentence = sentence;
    clearTimeout(this.timer);
    this.running?.abort();
    const known = this.traces.get(sentence);
    if (!sentence) this.showMessage("Put the caret into a sentence to see how it is decoded.");
    else if (known) this.show(known);
    else this.timer = setTimeout(() => void this.ask(sentence), PAUSE);
  }

  private async ask(sentence: string): Promise<void> {
    this.running = new AbortController();
    this.body.setAttribute("aria-busy", "true");
    try {
      const traces = await trace(sentence, POLICIES.map(({ id }) => id), this.running.signal);
      if (this.traces.size >= MAX_CACHED) this.traces.clear();
      this.traces.set(sentence, traces);
      if (sentence === this.sentence) this.show(traces);
    } catch (error) {
      if (isAbort(error) || sentence !== this.sentence) return;
      this.sentence = "";
      this.showMessage(error instanceof Error && !(error instanceof UnreachableError) ? `The sentence could not be traced: ${error.message}.` : "The server does not answer.");
    } finally {
      this.body.removeAttribute("aria-busy");
    }
  }

  private async copy(): Promise<void> {
    const copied = await copyText(traceToText(this.shown));
    toast(copied ? "The decoding was copied as text." : "Your browser does not allow copying. Save the decoding instead.");
  }

  private share(found: readonly TracedPolicy[]): void {
    this.shown = found;
    for (const id of ["copy-decoding", "save-decoding"]) find<HTMLButtonElement>(id).disabled = !found.length;
  }

  private showMessage(message: string): void {
    this.share([]);
    find("same").textContent = "";
    this.body.replaceChildren(make("p", { class: "hint" }, message));
  }

  private show(traces: Record<string, Trace>): void {
    const found = POLICIES.flatMap((policy) => (traces[policy.id] ? [{ ...policy, trace: traces[policy.id]! }] : []));
    const most = Math.max(...found.map(({ trace: { calls } }) => calls));
    const target = found[0]?.trace.target;
    const alike = found.every((other) => other.trace.target === target);
    find("same").replaceChildren(
      alike ? "All three produce the same text in the end: " : "The results differ, which is a bug; please report it. ",
      ...(alike ? [make("q", { lang: languageOf(target ?? "") }, target ?? "")] : []),
    );
    this.share(found);
    this.body.replaceChildren(...found.map(({ name, idea, trace: traced }) => column(name, idea, traced, most)));
  }
}

function column(name: string, idea: string, traced: Trace, most: number): HTMLElement {
  const bar = make("span", { class: "bar" });
  bar.style.width = `${(100 * traced.calls) / most}%`;
  return make(
    "section",
    { class: "policy", "aria-label": name },
    make(
      "header",
      {},
      make("h3", {}, name),
      make("p", { class: "cost" }, make("b", {}, String(traced.calls)), ` ${traced.calls === 1 ? "call" : "calls"}`),
      make("p", { class: "cost" }, `${traced.milliseconds.toFixed(traced.milliseconds < 10 ? 1 : 0)} ms`),
    ),
    make("div", { class: "track", "aria-hidden": "true" }, bar),
    make("p", { class: "idea" }, idea),
    make("ol", { class: "calls", lang: languageOf(traced.target) }, ...traced.blocks.map(row)),
  );
}

function row(block: Block): HTMLLIElement {
  const accepted = block.text.slice(0, block.text.length - block.own.length);
  const spoken = (words: string) => make("span", { class: "spoken" }, words);
  const said = [
    block.drafted ? `${block.agreed} of ${count(block.drafted, "drafted token")} accepted` : "no draft",
    block.own ? "the last token is the model’s own" : "the model ends the sentence",
  ].join("; ");
  return make(
    "li",
    { title: said },
    accepted ? spoken("accepted:") : null,
    accepted ? make("span", { class: "accepted" }, accepted) : null,
    spoken(block.own ? "the model writes:" : "the model ends here"),
    block.own ? make("b", { class: "own" }, block.own) : make("b", { class: "own end", "aria-hidden": "true" }, "end"),
    block.rejected ? spoken("rejected:") : null,
    block.rejected ? make("del", { class: "rejected" }, block.rejected) : null,
  );
}
