/** The dialog that lists the dictionary and the ignores. */
import { showError } from "./actions";
import { find, make } from "./elements";
import { nameOf } from "./kinds";
import { addWord, listIgnores, listWords, removeIgnore, removeWord } from "./server";

/** `onRemove` is called with the edit of an ignore "once" that was removed. */
export function connectDictionary(onChange: () => void, onRemove: (edit: IgnoredEdit) => void): void {
  const dialog = find<HTMLDialogElement>("dictionary");
  const field = find<HTMLInputElement>("new-word");

  async function refresh(): Promise<void> {
    const [words, ignores] = await Promise.all([listWords(), listIgnores()]);
    fill("words", words, (word) => word, removeWord);
    fill("ignores", ignores, describeIgnore, async (entry) => {
      await removeIgnore(entry);
      const once = readOnce(entry);
      if (once) onRemove(once);
    });
  }
  const change = (work: Promise<void>) => work.then(refresh).then(onChange).catch(showError);

  function fill(id: string, entries: string[], name: (entry: string) => string, remove: (entry: string) => Promise<void>): void {
    const items = entries.map((entry) => {
      const button = make(
        "button",
        { type: "button", class: "quiet", "aria-label": `Remove ${name(entry)}`, onclick: () => void change(remove(entry)) },
        "Remove",
      );
      return make("li", {}, make("span", {}, name(entry)), button);
    });
    find(id).replaceChildren(...(items.length ? items : [make("li", { class: "none" }, "Nothing yet.")]));
  }

  find("show-dictionary").addEventListener("click", () => {
    dialog.showModal();
    refresh().catch(showError);
  });
  find("add-word").addEventListener("submit", (event) => {
    event.preventDefault();
    const word = field.value.trim();
    if (!word) return;
    field.value = "";
    void change(addWord(word));
  });
}

/** Describes a line of the file of ignores. */
function describeIgnore(entry: string): string {
  const [, what, rest] = /^(\w+) (.*)$/.exec(entry) ?? [];
  if (what === "kind" && rest) return `Kind: ${nameOf(rest)}`;
  if (what === "word" && rest) return rest.startsWith("+") ? `Inserting “${rest.slice(1)}”` : `“${rest}”, everywhere`;
  const once = readOnce(entry);
  if (!once) return entry;
  const { source, replacement } = once;
  return `${source ? `“${source}”` : "nothing"} → ${replacement ? `“${replacement}”` : "nothing"}, in one sentence`;
}

interface IgnoredEdit {
  readonly source: string;
  readonly replacement: string;
}

/** The edit of a line "once …" of the file of ignores. */
function readOnce(entry: string): IgnoredEdit | null {
  const found = /^once ("(?:[^"\\]|\\.)*") -> ("(?:[^"\\]|\\.)*") in/.exec(entry);
  return found && { source: JSON.parse(found[1]!) as string, replacement: JSON.parse(found[2]!) as string };
}
