/** The dialog with statistics of the text: length, reading time, readability, long sentences. */
import type { EditorView } from "@codemirror/view";
import { find, make } from "./elements";
import { findingsOf } from "./findings";
import { countWords, languageOf } from "./languages";

/** Words in a minute of silent reading; of Chinese, characters. */
const SPEED = { words: 238, characters: 255 };
/** Words of a sentence, or Chinese characters, above which it is listed as long. */
const LONG = { words: 30, characters: 60 };
const MAX_LISTED = 20;
const MAX_QUOTED = 90;
/** Least Flesch reading ease of each level. */
const LEVELS: readonly (readonly [number, string])[] = [
  [90, "very easy"],
  [80, "easy"],
  [70, "fairly easy"],
  [60, "plain"],
  [50, "fairly difficult"],
  [30, "difficult"],
  [-Infinity, "very difficult"],
];

interface Sentence {
  readonly from: number;
  readonly to: number;
  readonly words: number;
}

export function connectStatistics(view: EditorView): void {
  const dialog = find<HTMLDialogElement>("statistics");
  find("show-statistics").addEventListener("click", () => {
    show(view, dialog);
    dialog.showModal();
  });
}

function show(view: EditorView, dialog: HTMLDialogElement): void {
  const text = view.state.doc.toString();
  const unit = languageOf(text).startsWith("zh") ? "characters" : "words";
  const sentences: Sentence[] = findingsOf(view.state).sentences.map(({ from, to }) => ({
    from,
    to,
    words: countWords(text.slice(from, to)),
  }));
  const words = countWords(text);
  const rows: [string, string][] = [
    ["Characters", figure([...text].length)],
    [unit === "words" ? "Words" : "Chinese characters and words", figure(words)],
    ["Sentences", figure(sentences.length)],
    ["Paragraphs", figure(text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim()).length)],
  ];
  if (sentences.length) rows.push([`Mean length of a sentence`, `${(words / sentences.length).toFixed(1)} ${unit}`]);
  rows.push(["Reading time", readingTime(words / SPEED[unit])]);
  const ease = unit === "words" && sentences.length ? readingEase(text, words, sentences.length) : null;
  if (ease !== null) rows.push(["Readability", `${LEVELS.find(([least]) => ease >= least)![1]} (Flesch reading ease ${Math.round(ease)})`]);
  find("figures").replaceChildren(...rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  const long = sentences.filter((sentence) => sentence.words > LONG[unit]).sort((one, other) => other.words - one.words);
  find("long-title").textContent = `Sentences of more than ${LONG[unit]} ${unit}: ${figure(long.length)}`;
  find("long").replaceChildren(...long.slice(0, MAX_LISTED).map((sentence) => entry(view, dialog, sentence, unit)));
}

function entry(view: EditorView, dialog: HTMLDialogElement, { from, to, words }: Sentence, unit: string): HTMLElement {
  const text = view.state.sliceDoc(from, to).replace(/\s+/g, " ");
  const go = () => {
    dialog.close();
    view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    view.focus();
  };
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).trimEnd()}…` : text;
  return make(
    "li",
    {},
    make("button", { type: "button", class: "quote", lang: languageOf(text), onclick: go }, quoted),
    make("span", { class: "hint" }, `${words} ${unit}`),
  );
}

function figure(number: number): string {
  return number.toLocaleString("en");
}

function readingTime(minutes: number): string {
  return minutes < 1 ? "less than a minute" : `${figure(Math.round(minutes))} min`;
}

/** Flesch reading ease: 100 is easy, 0 is difficult. Null for a text without Latin letters. */
function readingEase(text: string, words: number, sentences: number): number | null {
  const syllables = (text.match(/[a-z]+/gi) ?? []).reduce((sum, word) => sum + countSyllables(word), 0);
  return syllables ? 206.835 - 1.015 * (words / sentences) - 84.6 * (syllables / words) : null;
}

/** Groups of vowels, without a silent e at the end. */
function countSyllables(word: string): number {
  const groups = word.toLowerCase().replace(/(?:[^laeiouy]es|[^laeiouy]ed|[^laeiouy]e)$/, "").match(/[aeiouy]+/g);
  return Math.max(1, groups?.length ?? 0);
}
