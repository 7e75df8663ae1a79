/** What was found in the text, kept at its place while the text changes. */
import {
  type ChangeDesc,
  type EditorState,
  type Range,
  StateEffect,
  StateField,
  type Text,
  type Transaction,
} from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { familyOf } from "./kinds";
import type { Step } from "./server";

export interface Suggestion {
  /** Stays the same when a later check finds the same thing again. */
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly source: string;
  readonly replacement: string;
  readonly kind: string;
  readonly confidence: number;
  readonly explanation: string;
  /** The text of its sentence, as the server read it. */
  readonly sentence: string;
}

export interface Sentence {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface Findings {
  readonly all: readonly Suggestion[];
  readonly sentences: readonly Sentence[];
  /** For a sentence: suggestions the model is less sure of are not shown. */
  readonly least: (sentence: string) => number;
  readonly active: number | null;
  /** While someone types, what is at the caret is unfinished and not shown. */
  readonly typing: boolean;
  /** Those to be shown. */
  readonly shown: readonly Suggestion[];
}

/** Sentences that were checked, up to `end`; what was known of the text after it stays. */
interface Checked {
  readonly steps: readonly Step[];
  readonly end: number;
}

export const setChecked = StateEffect.define<Checked>();
export const setLeast = StateEffect.define<Findings["least"]>();
export const activate = StateEffect.define<number | null>();
export const dismiss = StateEffect.define<(suggestion: Suggestion) => boolean>();
export const rest = StateEffect.define<null>();

const NOTHING: Findings = { all: [], sentences: [], least: () => 0.5, active: null, typing: false, shown: [] };
// Beside a character that is a word by itself no word grows.
const LETTER = /(?!\p{sc=Han})[\p{L}\p{N}]/u;

export const findings = StateField.define<Findings>({
  create: () => NOTHING,
  update: (before, transaction) => follow(before, transaction),
  provide: (field) => EditorView.decorations.from(field, decorate),
});

export function findingsOf(state: EditorState): Findings {
  return state.field(findings);
}

/** The suggestion that is open, or else the one at the caret. */
export function activeOf(state: EditorState): Suggestion | null {
  const { shown, active } = findingsOf(state);
  return shown.find(({ id }) => id === active) ?? atCaret(shown, state.selection.main.head) ?? null;
}

/** The sentence the caret is in, or the one before it. */
export function sentenceAt(state: EditorState, place: number): Sentence | null {
  const { sentences } = findingsOf(state);
  return sentences.findLast((sentence) => sentence.from <= place) ?? sentences[0] ?? null;
}

function follow(before: Findings, transaction: Transaction): Findings {
  let { all, sentences, least, active, typing } = before;
  let chosen = false;
  if (transaction.docChanged) {
    all = all.flatMap((suggestion) => move(suggestion, transaction.changes, transaction.newDoc) ?? []);
    sentences = sentences.map((sentence) => ({
      ...sentence,
      from: transaction.changes.mapPos(sentence.from, -1),
      to: transaction.changes.mapPos(sentence.to, 1),
    }));
    typing = transaction.isUserEvent("input.type") || transaction.isUserEvent("delete");
  } else if (transaction.selection) {
    typing = false;
  }
  for (const effect of transaction.effects) {
    if (effect.is(setChecked)) {
      sentences = merge(sentences, effect.value);
      all = reconcile(all, effect.value);
    } else if (effect.is(setLeast)) least = effect.value;
    else if (effect.is(dismiss)) all = all.filter((suggestion) => !effect.value(suggestion));
    else if (effect.is(rest)) typing = false;
    else if (effect.is(activate)) {
      active = effect.value;
      chosen = true;
    }
  }
  const now = { all, sentences, least, active, typing };
  if (!chosen && !transaction.docChanged && !transaction.selection && sameFindings(before, now)) return before;
  const head = transaction.state.selection.main.head;
  const shown = all.filter(
    (suggestion) =>
      suggestion.confidence >= least(suggestion.sentence) && !(typing && suggestion.from <= head && head <= suggestion.to),
  );
  if (!chosen && (transaction.selection || transaction.docChanged)) active = atCaret(shown, head)?.id ?? null;
  else if (active !== null && !shown.some(({ id }) => id === active)) active = atCaret(shown, head)?.id ?? null;
  return { ...now, active, shown };
}

function sameFindings(before: Findings, now: Omit<Findings, "shown">): boolean {
  return (
    before.all === now.all &&
    before.sentences === now.sentences &&
    before.least === now.least &&
    before.typing === now.typing
  );
}

function atCaret(shown: readonly Suggestion[], head: number): Suggestion | undefined {
  return shown.find((suggestion) => suggestion.from <= head && head <= suggestion.to);
}

/** The suggestion at its new place; null if what it is about changed. */
function move(suggestion: Suggestion, changes: ChangeDesc, text: Text): Suggestion | null {
  if (!changes.touchesRange(suggestion.from, suggestion.to)) {
    const from = changes.mapPos(suggestion.from);
    return { ...suggestion, from, to: from + suggestion.to - suggestion.from };
  }
  if (suggestion.from === suggestion.to) return null;
  const from = changes.mapPos(suggestion.from, 1);
  const to = changes.mapPos(suggestion.to, -1);
  if (to <= from || text.sliceString(from, to) !== suggestion.source) return null;
  const grew = (inside: string, outside: string) => LETTER.test(inside) && LETTER.test(outside);
  const { source } = suggestion;
  if (grew(source.charAt(0), text.sliceString(Math.max(0, from - 1), from))) return null;
  if (grew(source.charAt(source.length - 1), text.sliceString(to, to + 1))) return null;
  return { ...suggestion, from, to };
}

function merge(known: readonly Sentence[], { steps, end }: Checked): Sentence[] {
  const fresh = steps.map(({ sentence }) => ({ from: sentence.start, to: sentence.end, text: sentence.text }));
  return [...fresh, ...known.filter((sentence) => sentence.from >= end)];
}

let lastId = 0;

function reconcile(known: readonly Suggestion[], { steps, end }: Checked): Suggestion[] {
  const keyOf = (from: number, source: string, replacement: string) => `${from}\0${source}\0${replacement}`;
  const ids = new Map(known.map((item) => [keyOf(item.from, item.source, item.replacement), item.id]));
  const fresh = steps.flatMap(({ sentence, edits }) =>
    edits.map(({ start, end: to, source, replacement, kind, confidence, explanation }) => ({
      id: ids.get(keyOf(start, source, replacement)) ?? ++lastId,
      from: start,
      to,
      source,
      replacement,
      kind,
      confidence,
      explanation,
      sentence: sentence.text,
    })),
  );
  return [...fresh, ...known.filter((item) => item.from > end)];
}

/** The sign with which people who correct proofs mark where something is to be put in. */
class Caret extends WidgetType {
  constructor(
    readonly id: number,
    readonly look: string,
  ) {
    super();
  }
  override eq(other: Caret): boolean {
    return this.id === other.id && this.look === other.look;
  }
  override toDOM(): HTMLElement {
    const caret = document.createElement("span");
    caret.className = `insertion ${this.look}`;
    caret.setAttribute("aria-hidden", "true");
    return caret;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

function decorate({ shown, active }: Findings): DecorationSet {
  const marks: Range<Decoration>[] = shown.map((suggestion) => {
    const look = `${familyOf(suggestion.kind)}${suggestion.id === active ? " active" : ""}`;
    // A word that is to go takes a space with it, which is no place for a line.
    const from = suggestion.from + (suggestion.source.length - suggestion.source.trimStart().length);
    const to = suggestion.to - (suggestion.source.length - suggestion.source.trimEnd().length);
    if (suggestion.from === suggestion.to) {
      return Decoration.widget({ widget: new Caret(suggestion.id, look), side: 1 }).range(suggestion.from);
    }
    const mark = Decoration.mark({ class: `finding ${look}`, attributes: { "data-kind": suggestion.kind } });
    return from < to ? mark.range(from, to) : mark.range(suggestion.from, suggestion.to);
  });
  return Decoration.set(marks, true);
}
