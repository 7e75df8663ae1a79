/** The languages to choose from, word counts, and the language of a text by its script. */

export interface LanguageOption {
  readonly code: string;
  readonly name: string;
}

// In scripts without spaces each character counts as a word.
const UNSPACED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}";
const CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}'’\\-])*`, "gu");

/** The languages to choose from, with each country if there are several. */
export function languageOptions(codes: readonly string[]): LanguageOption[] {
  const names = new Intl.DisplayNames("en", { type: "language" });
  const countries = (code: string) => codes.filter((other) => other.startsWith(`${code}-`)).length;
  const wanted = codes.filter((code) => !code.includes("-") || countries(code.split("-")[0]!) > 1);
  return wanted.map((code) => ({
    code,
    name: `${names.of(code) ?? code}${countries(code) > 1 ? ", any spelling" : ""}`,
  }));
}

export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

/** The language of a text for fonts and screen readers: Chinese and Japanese share characters that look different. */
export function languageOf(text: string): string {
  const characters = text.match(CHARACTER)?.length ?? 0;
  if (2 * characters < countWords(text) || !characters) return "en";
  return /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text) ? "ja" : "zh";
}
