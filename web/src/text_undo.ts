/** Undoes one action on the text later, and nothing that was changed since. */
import type { ChangeDesc, ChangeSet, Text } from "@codemirror/state";
import { isolateHistory } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";

interface Part {
  readonly from: number;
  readonly to: number;
  /** What the action replaced there. */
  readonly text: string;
}

export class TextUndo {
  private parts: Part[] = [];

  constructor(
    private readonly view: EditorView,
    changes: ChangeSet,
    before: Text,
  ) {
    changes.iterChanges((fromA, toA, fromB, toB) => {
      this.parts.push({ from: fromB, to: toB, text: before.sliceString(fromA, toA) });
    });
  }

  /** Whether anything of the action is left to undo. */
  get isPossible(): boolean {
    return this.parts.length > 0;
  }

  /** Moves along with a later change. What that changed itself is no longer undone. */
  follow(changes: ChangeDesc): void {
    this.parts = this.parts
      .filter((part) => !isChanged(part, changes))
      .map(({ from, to, text }) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1), text }));
  }

  run(): void {
    const changes = this.parts.map(({ from, to, text }) => ({ from, to, insert: text }));
    this.parts = [];
    this.view.dispatch({ changes, userEvent: "undo", annotations: isolateHistory.of("full") });
  }
}

function isChanged({ from, to }: Part, changes: ChangeDesc): boolean {
  if (from === to) return Boolean(changes.touchesRange(from));
  let changed = false;
  changes.iterChangedRanges((start, end) => {
    changed ||= start === end ? from < start && start < to : start < to && from < end;
  });
  return changed;
}
