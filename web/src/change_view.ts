/** A suggestion as marked-up text: what is removed, what is written instead, and the words beside it. */
import type { Text } from "@codemirror/state";
import { make } from "./elements";
import type { Suggestion } from "./findings";
import { languageOf } from "./languages";

// The word beside a suggestion, or a few characters in scripts without spaces.
const BEFORE = /(?:[^\s\p{sc=Han}]*\s*|[^\s\p{Cs}。！？；]{0,3}\p{sc=Han}[^\s\p{Cs}。！？；]{0,3})$/u;
const AFTER = /^(?:[^\s\p{Cs}]{0,3}\p{sc=Han}[^\s\p{Cs}]{0,3}|\s*[^\s\p{sc=Han}]*)/u;

/** The words beside an insertion or a deletion, which are shown as its context. */
export function surroundings({ from, to, source, replacement }: Suggestion, text: Text): [string, string] {
  if (source.trim() && replacement.trim()) return ["", ""];
  const before = BEFORE.exec(text.sliceString(Math.max(0, from - 24), from))?.[0] ?? "";
  const after = AFTER.exec(text.sliceString(to, to + 24))?.[0] ?? "";
  return [before, after];
}

export function changeView({ source, replacement }: Suggestion, [before, after]: [string, string]): HTMLElement {
  return make("span", { class: "change", lang: languageOf(source + replacement) }, ...change(source, replacement, before, after));
}

function change(source: string, replacement: string, before: string, after: string): (Node | string)[] {
  if (source.trim() && replacement.trim()) {
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" }, " → ");
    return [make("del", {}, source.trim()), arrow, make("ins", {}, replacement.trim())];
  }
  return [before, ...marked("del", source), ...marked("ins", replacement), after];
}

/** Keeps spaces at the ends outside the element, so that no line is drawn through them. */
function marked(name: "del" | "ins", text: string): (Node | string)[] {
  const [, left = "", inner = "", right = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return inner ? [left, make(name, {}, inner), right] : text ? [make(name, {}, text.replaceAll(" ", "␣"))] : [];
}
