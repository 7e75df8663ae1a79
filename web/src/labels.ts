/** Labels beside the text, in the language of the text: English, or Chinese in simplified or traditional characters. */
import type { EditorState } from "@codemirror/state";
import { count } from "./elements";
import { languageOf } from "./languages";

export interface Labels {
  readonly accept: string;
  readonly acceptAll: string;
  readonly ignoreOnce: string;
  readonly ignoreWord: string;
  readonly ignoreKind: string;
  readonly addToDictionary: string;
  readonly close: string;
  readonly others: string;
  readonly remove: string;
  readonly empty: string;
  readonly none: string;
  readonly checking: string;
  readonly unchecked: string;
  readonly sure: (percent: number) => string;
  readonly suggestions: (number: number) => string;
  readonly words: (number: number) => string;
  readonly sentences: (number: number) => string;
}

const ENGLISH: Labels = {
  accept: "Accept",
  acceptAll: "Accept all",
  ignoreOnce: "Ignore once",
  ignoreWord: "Ignore word",
  ignoreKind: "Ignore kind",
  addToDictionary: "Add to dictionary",
  close: "Close this suggestion",
  others: "Other replacements",
  remove: "remove",
  empty: "Suggestions appear here",
  none: "No suggestions",
  checking: "Checking…",
  unchecked: "Not checked",
  sure: (percent) => `${percent}% sure`,
  suggestions: (number) => count(number, "suggestion"),
  words: (number) => count(number, "word"),
  sentences: (number) => count(number, "sentence"),
};

const SIMPLIFIED: Labels = {
  accept: "接受",
  acceptAll: "全部接受",
  ignoreOnce: "忽略一次",
  ignoreWord: "忽略此词",
  ignoreKind: "忽略此类",
  addToDictionary: "加入词典",
  close: "关闭此建议",
  others: "其他改法",
  remove: "删去",
  empty: "建议显示在这里",
  none: "没有建议",
  checking: "正在检查…",
  unchecked: "未检查",
  sure: (percent) => `把握 ${percent}%`,
  suggestions: (number) => `${number.toLocaleString("zh")} 条建议`,
  words: (number) => `${number.toLocaleString("zh")} 字`,
  sentences: (number) => `${number.toLocaleString("zh")} 句`,
};

const TRADITIONAL: Labels = {
  accept: "接受",
  acceptAll: "全部接受",
  ignoreOnce: "忽略一次",
  ignoreWord: "忽略此詞",
  ignoreKind: "忽略此類",
  addToDictionary: "加入詞典",
  close: "關閉此建議",
  others: "其他改法",
  remove: "刪去",
  empty: "建議顯示在這裡",
  none: "沒有建議",
  checking: "正在檢查…",
  unchecked: "未檢查",
  sure: (percent) => `把握 ${percent}%`,
  suggestions: (number) => `${number.toLocaleString("zh")} 條建議`,
  words: (number) => `${number.toLocaleString("zh")} 字`,
  sentences: (number) => `${number.toLocaleString("zh")} 句`,
};

/** Characters of a text by which its language is decided: all of a long text would take long. */
const SAMPLE = 2000;

/** The labels in the language of the text of an editor. */
export function labelsOf(state: EditorState): Labels {
  return labelsFor(state.sliceDoc(0, SAMPLE));
}

/** The labels in the language of a sentence. */
export function labelsFor(text: string): Labels {
  const language = languageOf(text);
  return language === "zh" ? SIMPLIFIED : language === "zh-Hant" ? TRADITIONAL : ENGLISH;
}
