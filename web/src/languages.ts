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

// The most frequent characters that only one of the two ways to write Chinese has, in the same order.
const SIMPLIFIED = /[们这个来说时会对学国过还没为样点经开关发现实问题东车长门间见话语读写认识请谢爱么吗气兴乐书]/gu;
const TRADITIONAL = /[們這個來說時會對學國過還沒為樣點經開關發現實問題東車長門間見話語讀寫認識請謝愛麼嗎氣興樂書]/gu;

/**
 * The language of a text for fonts, labels and screen readers: Chinese, in simplified or traditional characters, and
 * Japanese share characters that look different.
 */
export function languageOf(text: string): "en" | "ja" | "zh" | "zh-Hant" {
  const characters = text.match(CHARACTER)?.length ?? 0;
  if (2 * characters < countWords(text) || !characters) return "en";
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return "ja";
  return (text.match(TRADITIONAL)?.length ?? 0) > (text.match(SIMPLIFIED)?.length ?? 0) ? "zh-Hant" : "zh";
}
