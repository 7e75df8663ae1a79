/** Families of kinds of edits. Each has its own colour and line style, so that colour is not the only distinction. */

import { languageOf } from "./languages";

export type Family = "spelling" | "grammar" | "punctuation" | "style";

const FAMILY_OF: Record<string, Family> = {
  spelling: "spelling",
  dialect: "spelling",
  casing: "spelling",
  punctuation: "punctuation",
  spacing: "punctuation",
  "word-choice": "style",
  redundancy: "style",
  other: "style",
};

function familyOf(kind: string): Family {
  return FAMILY_OF[kind] ?? "grammar";
}

/** The classes of a suggestion: its family, and whether it is only a possible error. */
export function lookOf({ kind, certain }: { readonly kind: string; readonly certain: boolean }): string {
  return certain ? familyOf(kind) : `${familyOf(kind)} possible`;
}

interface Kind {
  readonly id: string;
  readonly name: string;
  /** Language → name. */
  readonly names: Readonly<Record<string, string>>;
}

const kinds = new Map<string, Kind>();

/** Sets the names of kinds, which the server provides. */
export function setKindNames(provided: readonly Kind[]): void {
  for (const kind of provided) kinds.set(kind.id, kind);
}

/** The name of a kind, in the language of a text if the server has one. */
export function nameOf(kind: string, text = ""): string {
  const known = kinds.get(kind);
  return known?.names[languageOf(text)] ?? known?.name ?? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("-", " ");
}

/** What a suggestion is called: its kind and, if it is not certain, that it is a possible error. */
export function titleOf({ kind, certain, sentence }: { readonly kind: string; readonly certain: boolean; readonly sentence: string }): string {
  const name = nameOf(kind, sentence);
  return certain ? name : `Possible error: ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
