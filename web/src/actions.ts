/** Actions on a suggestion: accept it, ignore it, or add its word to the dictionary. */
import type { EditorView } from "@codemirror/view";
import { announce } from "./announcer";
import { accept } from "./editor";
import { dismiss, ignorePlaces, type Suggestion, unignorePlaces } from "./findings";
import { nameOf } from "./kinds";
import type { Labels } from "./labels";
import { addIgnore, addWord, removeIgnore, removeWord } from "./server";
import { hideToast, toast } from "./toast";

export interface Action {
  readonly label: keyof Pick<Labels, "accept" | "ignoreOnce" | "ignoreWord" | "ignoreKind" | "addToDictionary">;
  /** The key that runs it while a suggestion in the list, or its card, has the focus. */
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

/** Runs the action of a key on a suggestion; false if there is none. */
export function runKey(actions: readonly Action[], pressed: string, suggestion: Suggestion): boolean {
  const action = actions.find(({ key }) => key === pressed.toLowerCase());
  if (!action?.isAvailable(suggestion)) return false;
  action.run(suggestion);
  return true;
}

export function createActions(view: EditorView, recheck: () => void): Action[] {
  /** Hides suggestions at once and saves the ignore on the server; if that fails, the next check shows them again. */
  async function hide(
    message: string,
    isHidden: (suggestion: Suggestion) => boolean,
    save: () => Promise<() => Promise<void>>,
  ): Promise<void> {
    view.dispatch({ effects: dismiss.of(isHidden) });
    hideToast(); // its Undo would undo an earlier action
    try {
      const undo = await save();
      toast(message, { run: () => void undo().then(recheck, showError) });
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
      label: "accept",
      key: "a",
      isAvailable: () => true,
      run: (chosen) => {
        accept(view, [chosen]);
        announce(`Accepted: ${describe(chosen)}`);
      },
    },
    {
      label: "ignoreOnce",
      key: "i",
      isAvailable: () => true,
      run: (chosen) => {
        const { id, from, to, source, replacement, sentence } = chosen;
        const entry = { ignore: "once", source, replacement, sentence } as const;
        // The server knows the ignore by the whole sentence; the page keeps the place too, for when the sentence changes.
        view.dispatch({ effects: ignorePlaces.of([{ id, from, to, source, replacement }]) });
        const restore = () => view.dispatch({ effects: unignorePlaces.of((place) => place.id === id) });
        void hide("Ignored here.", (other) => other.id === id, async () => {
          try {
            const remove = await ignore(entry)();
            return () => (restore(), remove());
          } catch (error) {
            restore();
            throw error;
          }
        });
      },
    },
    {
      label: "ignoreWord",
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
      label: "ignoreKind",
      key: "k",
      isAvailable: () => true,
      run: ({ kind }) => {
        const message = `Suggestions of the kind “${nameOf(kind)}” are ignored everywhere.`;
        void hide(message, (other) => other.kind === kind, ignore({ ignore: "kind", kind }));
      },
    },
    {
      label: "addToDictionary",
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
