/** Families of kinds of edits. Each has its own colour and line style, so that colour is not the only distinction. */

export type Family = "spelling" | "grammar" | "punctuation" | "style";

export const FAMILIES: readonly { readonly id: Family; readonly name: string; readonly line: string }[] = [
  { id: "spelling", name: "Spelling", line: "wavy line" },
  { id: "grammar", name: "Grammar", line: "solid line" },
  { id: "punctuation", name: "Punctuation", line: "dotted line" },
  { id: "style", name: "Wording", line: "dashed line" },
];

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

const names = new Map<string, string>();

/** Sets the names of kinds, which the server provides. */
export function setKindNames(kinds: readonly { id: string; name: string }[]): void {
  for (const kind of kinds) names.set(kind.id, kind.name);
}

export function nameOf(kind: string): string {
  return names.get(kind) ?? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("-", " ");
}
