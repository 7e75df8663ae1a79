/** What can be done with a suggestion. */
import type { EditorView } from "@codemirror/view";
import { announce, toast } from "./announcer";
import { accept } from "./editor";
import { dismiss, type Suggestion } from "./findings";
import { nameOf } from "./kinds";
import { addIgnore, addWord, removeIgnore, removeWord } from "./server";

export interface Choice {
  readonly name: string;
  /** The key for it while a suggestion in the list has the focus. */
  readonly key: string;
  readonly fits: (suggestion: Suggestion) => boolean;
  readonly run: (suggestion: Suggestion) => void;
}

const LONGEST_WORD = 100;
const ONE_WORD = /^[^\s#]*[\p{L}\p{N}][^\s]*$/u;

/** What "this word" means: what is replaced, or what is put in, with a + before it, as the file of ignores has it. */
export function wordOf({ source, replacement }: Suggestion): string {
  const fold = (text: string) => text.trim().replace(/\s+/g, " ");
  return fold(source) || `+${fold(replacement)}`;
}

export function describe({ source, replacement }: Suggestion): string {
  const [before, after] = [source.trim() || source, replacement.trim() || replacement];
  if (!before) return `add “${after}”`;
  return after ? `“${before}” becomes “${after}”` : `leave out “${before}”`;
}

export function makeChoices(view: EditorView, recheck: () => void): Choice[] {
  /** Hides suggestions at once and has the server remember it; what fails comes back with the next check. */
  async function put(
    message: string,
    hidden: (suggestion: Suggestion) => boolean,
    save: () => Promise<() => Promise<void>>,
  ): Promise<void> {
    view.dispatch({ effects: dismiss.of(hidden) });
    try {
      const takeBack = await save();
      toast(message, { name: "Undo", run: () => void takeBack().then(recheck, complain) });
    } catch (error) {
      complain(error);
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
      fits: () => true,
      run: (chosen) => {
        accept(view, [chosen]);
        announce(`Accepted: ${describe(chosen)}`);
      },
    },
    {
      name: "Ignore once",
      key: "i",
      fits: () => true,
      run: (chosen) => {
        const { source, replacement, sentence } = chosen;
        const entry = { ignore: "once", source, replacement, sentence } as const;
        void put("Ignored in this sentence.", ({ id }) => id === chosen.id, ignore(entry));
      },
    },
    {
      name: "Ignore word",
      key: "w",
      fits: (chosen) => wordOf(chosen).length <= LONGEST_WORD,
      run: (chosen) => {
        const word = wordOf(chosen);
        const same = (other: Suggestion) => wordOf(other).toLowerCase() === word.toLowerCase();
        const message = word.startsWith("+") ? `“${word.slice(1)}” will not be put in.` : `“${word}” is ignored everywhere.`;
        void put(message, same, ignore({ ignore: "word", word }));
      },
    },
    {
      name: "Ignore kind",
      key: "k",
      fits: () => true,
      run: ({ kind }) => {
        const message = `${nameOf(kind)}: suggestions of this kind are not shown any more.`;
        void put(message, (other) => other.kind === kind, ignore({ ignore: "kind", kind }));
      },
    },
    {
      name: "Add to dictionary",
      key: "d",
      fits: ({ source, replacement }) =>
        source.trim().length > 1 && // one character is a part of many words
        ONE_WORD.test(source.trim()) &&
        source.trim().length <= LONGEST_WORD &&
        replacement.trim() !== "",
      run: (chosen) => {
        const word = chosen.source.trim();
        void put(`“${word}” is in your dictionary.`, (other) => other.source.trim() === word, async () => {
          await addWord(word);
          return () => removeWord(word);
        });
      },
    },
  ];
}

export function complain(error: unknown): void {
  const reason = error instanceof Error && error.message ? error.message : "the server does not answer";
  toast(`That could not be saved: ${reason}.`);
}
