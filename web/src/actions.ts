/** Actions on a suggestion: accept it, ignore it, or add its word to the dictionary. */
import type { EditorView } from "@codemirror/view";
import { announce, toast } from "./announcer";
import { accept } from "./editor";
import { dismiss, type Suggestion } from "./findings";
import { nameOf } from "./kinds";
import { addIgnore, addWord, removeIgnore, removeWord } from "./server";

export interface Action {
  readonly name: string;
  /** The key that runs it while a suggestion in the list has the focus. */
  readonly key: string;
  readonly isAvailable: (suggestion: Suggestion) => boolean;
  readonly run: (suggestion: Suggestion) => void;
}

const LONGEST_WORD = 100;
const ONE_WORD = /^[^\s#]*[\p{L}\p{N}][^\s]*$/u;

/** The word to ignore: the replaced text, or the inserted text after a +, as in the file of ignores. */
export function wordOf({ source, replacement }: Suggestion): string {
  const fold = (text: string) => text.trim().replace(/\s+/g, " ");
  return fold(source) || `+${fold(replacement)}`;
}

export function describe({ source, replacement }: Suggestion): string {
  const [before, after] = [source.trim() || source, replacement.trim() || replacement];
  if (!before) return `add “${after}”`;
  return after ? `“${before}” becomes “${after}”` : `remove “${before}”`;
}

export function createActions(view: EditorView, recheck: () => void): Action[] {
  /** Hides suggestions at once and saves the ignore on the server; if that fails, the next check shows them again. */
  async function hide(
    message: string,
    isHidden: (suggestion: Suggestion) => boolean,
    save: () => Promise<() => Promise<void>>,
  ): Promise<void> {
    view.dispatch({ effects: dismiss.of(isHidden) });
    try {
      const undo = await save();
      toast(message, { name: "Undo", run: () => void undo().then(recheck, showError) });
    } catch (error) {
      showError(error);
    }
    recheck();
  }
  const ignore = (entry: Parameters<typeof addIgnore>[0]) => async () => {
    const line = await addIgnore(entry);
    return async () => void (line && (await removeIgnore(line)));
  };

  return [
    {
      name: "Accept",
      key: "a",
      isAvailable: () => true,
      run: (chosen) => {
        accept(view, [chosen]);
        announce(`Accepted: ${describe(chosen)}`);
      },
    },
    {
      name: "Ignore once",
      key: "i",
      isAvailable: () => true,
      run: (chosen) => {
        const { source, replacement, sentence } = chosen;
        const entry = { ignore: "once", source, replacement, sentence } as const;
        void hide("Ignored in this sentence.", ({ id }) => id === chosen.id, ignore(entry));
      },
    },
    {
      name: "Ignore word",
      key: "w",
      isAvailable: (chosen) => wordOf(chosen).length <= LONGEST_WORD,
      run: (chosen) => {
        const word = wordOf(chosen);
        const same = (other: Suggestion) => wordOf(other).toLowerCase() === word.toLowerCase();
        const message = word.startsWith("+") ? `Inserting “${word.slice(1)}” is ignored everywhere.` : `“${word}” is ignored everywhere.`;
        void hide(message, same, ignore({ ignore: "word", word }));
      },
    },
    {
      name: "Ignore kind",
      key: "k",
      isAvailable: () => true,
      run: ({ kind }) => {
        const message = `Suggestions of the kind “${nameOf(kind)}” are ignored everywhere.`;
        void hide(message, (other) => other.kind === kind, ignore({ ignore: "kind", kind }));
      },
    },
    {
      name: "Add to dictionary",
      key: "d",
      isAvailable: ({ source, replacement }) =>
        source.trim().length > 1 && // a single Chinese character is part of many words
        ONE_WORD.test(source.trim()) &&
        source.trim().length <= LONGEST_WORD &&
        replacement.trim() !== "",
      run: (chosen) => {
        const word = chosen.source.trim();
        void hide(`“${word}” was added to your dictionary.`, (other) => other.source.trim() === word, async () => {
          await addWord(word);
          return () => removeWord(word);
        });
      },
    },
  ];
}

export function showError(error: unknown): void {
  const reason = error instanceof Error && error.message ? error.message : "the server does not answer";
  toast(`Not saved: ${reason}.`);
}
