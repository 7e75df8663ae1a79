/** Suggestions and sentences of the text, moved along while the text changes. */
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
import { lookOf } from "./kinds";
import type { Step, Unchecked } from "./server";

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
  /** False for a possible error, which “Accept all” leaves alone. */
  readonly certain: boolean;
  /** The text of its sentence, as the server read it. */
  readonly sentence: string;
}

/** A place where a suggestion is ignored, also when its sentence changes elsewhere. An id of 0: of an earlier visit. */
export type IgnoredPlace = Pick<Suggestion, "id" | "from" | "to" | "source" | "replacement">;

export interface Sentence {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly unchecked?: Unchecked | undefined;
}

export interface Findings {
  readonly all: readonly Suggestion[];
  readonly sentences: readonly Sentence[];
  /** The suggestion at the caret, or the one that was chosen. */
  readonly active: number | null;
  /** Whether the card of the active suggestion is open at its word. */
  readonly opened: boolean;
  readonly ignored: readonly IgnoredPlace[];
  /** While the user types, suggestions at the caret are not shown, because the word is unfinished. */
  readonly typing: boolean;
  /** The suggestions to show. */
  readonly shown: readonly Suggestion[];
}

/** Checked sentences up to `end`; suggestions after it are kept. */
interface Checked {
  readonly steps: readonly Step[];
  readonly end: number;
}

export const setChecked = StateEffect.define<Checked>();
/** Opens the card of a suggestion, or closes the open one. */
export const activate = StateEffect.define<number | null>();
export const ignorePlaces = StateEffect.define<readonly IgnoredPlace[]>();
export const unignorePlaces = StateEffect.define<(place: IgnoredPlace) => boolean>();
export const dismiss = StateEffect.define<(suggestion: Suggestion) => boolean>();
export const stopTyping = StateEffect.define<null>();

const NOTHING: Findings = {
  all: [],
  sentences: [],
  active: null,
  opened: false,
  ignored: [],
  typing: false,
  shown: [],
};
// Letters that continue a word; Chinese characters do not.
const LETTER = /(?!\p{sc=Han})[\p{L}\p{N}]/u;

export const findings = StateField.define<Findings>({
  create: () => NOTHING,
  update: (before, transaction) => follow(before, transaction),
  provide: (field) => EditorView.decorations.from(field, decorate),
});

export function findingsOf(state: EditorState): Findings {
  return state.field(findings);
}

/** The open suggestion, or else the one at the caret. */
export function activeOf(state: EditorState): Suggestion | null {
  const { shown, active } = findingsOf(state);
  return shown.find(({ id }) => id === active) ?? atCaret(shown, state.selection.main.head) ?? null;
}

/** The suggestion whose card is open. */
export function openOf(state: EditorState): Suggestion | null {
  const { shown, active, opened } = findingsOf(state);
  return (opened && shown.find(({ id }) => id === active)) || null;
}

/** The sentence the caret is in, or the one before it. */
export function sentenceAt(state: EditorState, place: number): Sentence | null {
  const { sentences } = findingsOf(state);
  return sentences.findLast((sentence) => sentence.from <= place) ?? sentences[0] ?? null;
}

function follow(before: Findings, transaction: Transaction): Findings {
  let { all, sentences, active, opened, ignored, typing } = before;
  let chosen = false;
  if (transaction.docChanged) {
    const follow = <Item extends IgnoredPlace>(item: Item) => move(item, transaction.changes, transaction.newDoc) ?? [];
    all = all.flatMap(follow);
    ignored = ignored.flatMap(follow);
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
    } else if (effect.is(dismiss)) all = all.filter((suggestion) => !effect.value(suggestion));
    else if (effect.is(ignorePlaces)) ignored = [...ignored, ...effect.value];
    else if (effect.is(unignorePlaces)) ignored = ignored.filter((place) => !effect.value(place));
    else if (effect.is(stopTyping)) typing = false;
    else if (effect.is(activate)) {
      active = effect.value;
      opened = active !== null;
      chosen = true;
    }
  }
  const now = { all, sentences, active, ignored, typing };
  if (!chosen && !transaction.docChanged && !transaction.selection && sameFindings(before, now)) return before;
  const head = transaction.state.selection.main.head;
  const hidden = new Set(ignored.map(keyOf));
  const shown = all.filter(
    (suggestion) =>
      !hidden.has(keyOf(suggestion)) && !(typing && suggestion.from <= head && head <= suggestion.to),
  );
  if (!chosen && (transaction.selection || transaction.docChanged)) active = atCaret(shown, head)?.id ?? null;
  else if (active !== null && !shown.some(({ id }) => id === active)) active = atCaret(shown, head)?.id ?? null;
  // Only a choice opens a card: one that opens by itself would cover the text that is being written.
  return { ...now, active, opened: opened && (chosen || active === before.active) && active !== null, shown };
}

function sameFindings(before: Findings, now: Omit<Findings, "shown" | "opened">): boolean {
  return (
    before.all === now.all &&
    before.sentences === now.sentences &&
    before.ignored === now.ignored &&
    before.typing === now.typing
  );
}

function atCaret(shown: readonly Suggestion[], head: number): Suggestion | undefined {
  return shown.find((suggestion) => suggestion.from <= head && head <= suggestion.to);
}

/** The suggestion at its new place; null if its text changed. */
function move<Item extends IgnoredPlace>(suggestion: Item, changes: ChangeDesc, text: Text): Item | null {
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
  const fresh = steps.map(({ sentence, unchecked }) => ({
    from: sentence.start,
    to: sentence.end,
    text: sentence.text,
    unchecked,
  }));
  return [...fresh, ...known.filter((sentence) => sentence.from >= end)];
}

let lastId = 0;

function keyOf({ from, source, replacement }: Pick<Suggestion, "from" | "source" | "replacement">): string {
  return `${from}\0${source}\0${replacement}`;
}

function reconcile(known: readonly Suggestion[], { steps, end }: Checked): Suggestion[] {
  const ids = new Map(known.map((item) => [keyOf(item), item.id]));
  const fresh = steps.flatMap(({ sentence, edits }) =>
    edits.map(({ start, end: to, source, replacement, kind, confidence, explanation, certain }) => ({
      id: ids.get(keyOf({ from: start, source, replacement })) ?? ++lastId,
      from: start,
      to,
      source,
      replacement,
      kind,
      confidence,
      explanation,
      certain: certain !== false,
      sentence: sentence.text,
    })),
  );
  return [...fresh, ...known.filter((item) => item.from > end)];
}

/** The proofreader's caret, which marks an insertion. */
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

function decorate({ shown, sentences, active }: Findings): DecorationSet {
  const unchecked: Range<Decoration>[] = sentences.flatMap(({ from, to, unchecked }) =>
    unchecked && from < to
      ? [Decoration.mark({ class: "unchecked", attributes: { title: `Not checked: ${unchecked.message}` } }).range(from, to)]
      : [],
  );
  const marks: Range<Decoration>[] = shown.map((suggestion) => {
    const look = `${lookOf(suggestion)}${suggestion.id === active ? " active" : ""}`;
    // A deleted word includes a space, which is not underlined.
    const from = suggestion.from + (suggestion.source.length - suggestion.source.trimStart().length);
    const to = suggestion.to - (suggestion.source.length - suggestion.source.trimEnd().length);
    if (suggestion.from === suggestion.to) {
      return Decoration.widget({ widget: new Caret(suggestion.id, look), side: 1 }).range(suggestion.from);
    }
    const mark = Decoration.mark({ class: `finding ${look}`, attributes: { "data-kind": suggestion.kind } });
    return from < to ? mark.range(from, to) : mark.range(suggestion.from, suggestion.to);
  });
  return Decoration.set([...unchecked, ...marks], true);
}
