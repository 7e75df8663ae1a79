/** Places where a suggestion is ignored, stored in the browser beside the copy of the text. */
import type { Text } from "@codemirror/state";
import type { IgnoredPlace } from "./findings";
import { loadValue, saveValue } from "./storage";

const NAME = "ignored";

export function saveIgnored(places: readonly IgnoredPlace[]): void {
  saveValue(NAME, places.length ? JSON.stringify(places) : null);
}

/** The stored places that fit the text. */
export function loadIgnored(text: Text): IgnoredPlace[] {
  let stored: unknown;
  try {
    stored = JSON.parse(loadValue(NAME) ?? "[]");
  } catch {
    return [];
  }
  const places = Array.isArray(stored) ? stored.filter(isPlace) : [];
  return places.filter((place) => fits(place, text)).map((place) => ({ ...place, id: 0 }));
}

function isPlace(value: unknown): value is IgnoredPlace {
  if (typeof value !== "object" || value === null) return false;
  const { from, to, source, replacement } = value as Record<string, unknown>;
  return [from, to].every(Number.isInteger) && [source, replacement].every((part) => typeof part === "string");
}

function fits({ from, to, source }: IgnoredPlace, text: Text): boolean {
  return 0 <= from && from <= to && to <= text.length && text.sliceString(from, to) === source;
}
