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

export function familyOf(kind: string): Family {
  return FAMILY_OF[kind] ?? "grammar";
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
