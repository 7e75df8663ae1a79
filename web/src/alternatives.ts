/** Other replacements for a suggestion, which the server looks up only when the suggestion is opened. */
import type { EditorView } from "@codemirror/view";
import { sentenceAt, type Suggestion } from "./findings";
import { type Alternative, type CheckOptions, type Edit, checkWithAlternatives } from "./server";

const MAX_CACHED = 50;

export class Alternatives {
  /** As in the checker. */
  options: CheckOptions = { language: "auto", threshold: null };
  private readonly known = new Map<string, readonly Edit[]>();
  private running: AbortController | undefined;

  constructor(private readonly view: EditorView) {}

  /** The others in order of probability, without the suggestion's own. A newer call cancels an older one. */
  async others(suggestion: Suggestion): Promise<readonly Alternative[]> {
    this.running?.abort();
    const { state } = this.view;
    const sentence = sentenceAt(state, suggestion.from);
    if (!sentence || suggestion.to > sentence.to) return [];
    // The sentence alone: looking up the alternatives of a whole text would take long.
    const text = state.sliceDoc(sentence.from, sentence.to);
    const key = `${JSON.stringify(this.options)}\0${text}`;
    let edits = this.known.get(key);
    if (!edits) {
      this.running = new AbortController();
      edits = await checkWithAlternatives(text, this.options, this.running.signal);
      if (this.known.size >= MAX_CACHED) this.known.clear();
      this.known.set(key, edits);
    }
    const start = suggestion.from - sentence.from;
    const same = edits.find(
      (edit) => edit.start === start && edit.source === suggestion.source && edit.replacement === suggestion.replacement,
    );
    return same?.alternatives?.slice(1) ?? [];
  }
}
