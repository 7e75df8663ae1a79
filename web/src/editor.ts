import { history, historyKeymap, isolateHistory, standardKeymap } from "@codemirror/commands";
import { EditorState, type Extension, Prec, type TransactionSpec } from "@codemirror/state";
import { EditorView, type KeyBinding, keymap, placeholder } from "@codemirror/view";
import { activate, findings, findingsOf, type Suggestion } from "./findings";
import { constructStyleSheets } from "./style_sheets";
import { TextUndo } from "./text_undo";

export function createEditor(parent: HTMLElement, text: string, keys: readonly KeyBinding[], more: Extension): EditorView {
  constructStyleSheets();
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        findings,
        history(),
        Prec.highest(keymap.of(keys)),
        keymap.of([...historyKeymap, ...standardKeymap]),
        EditorView.lineWrapping,
        placeholder("Type or paste a text here."),
        EditorView.contentAttributes.of({
          "aria-label": "Your text",
          "aria-describedby": "keys-said",
          lang: "en",
          spellcheck: "false",
          autocapitalize: "sentences",
        }),
        // Not "click": the underline is drawn anew when the caret comes, and a browser sends no click to what is gone.
        EditorView.domEventHandlers({ mouseup: openClicked }),
        more,
      ],
    }),
  });
}

/** Opens the suggestion that was clicked, also if the caret is there already and does not move. */
function openClicked(event: MouseEvent, view: EditorView): void {
  const place = view.posAtCoords({ x: event.clientX, y: event.clientY });
  const clicked = findingsOf(view.state).shown.find(({ from, to }) => place !== null && from <= place && place <= to);
  if (clicked && view.state.selection.main.empty) view.dispatch({ effects: activate.of(clicked.id) });
}

/** Applies suggestions as one step; undefined if the text under all of them has changed. */
export function accept(view: EditorView, suggestions: readonly Suggestion[]): TextUndo | undefined {
  const fitting = suggestions.filter(
    ({ from, to, source }) => to <= view.state.doc.length && view.state.sliceDoc(from, to) === source,
  );
  if (!fitting.length) return undefined;
  const before = view.state.doc;
  const changes = view.state.changes(fitting.map(({ from, to, replacement }) => ({ from, to, insert: replacement })));
  const spec: TransactionSpec = { changes, userEvent: "input.complete", annotations: isolateHistory.of("full") };
  const [only] = fitting;
  if (fitting.length === 1 && only) spec.selection = { anchor: only.from + only.replacement.trimEnd().length };
  view.dispatch(spec);
  return new TextUndo(view, changes, before);
}

/** Replaces the whole text as one step. */
export function replaceAll(view: EditorView, text: string): TextUndo {
  const before = view.state.doc;
  const changes = view.state.changes({ from: 0, to: before.length, insert: text });
  view.dispatch({
    changes,
    selection: { anchor: 0 },
    userEvent: "input.paste",
    annotations: isolateHistory.of("full"),
  });
  return new TextUndo(view, changes, before);
}

export function goTo(view: EditorView, suggestion: Suggestion): void {
  view.dispatch({
    selection: { anchor: suggestion.from },
    effects: [activate.of(suggestion.id), EditorView.scrollIntoView(suggestion.from, { y: "nearest", yMargin: 120 })],
  });
}

/** The next or previous suggestion from the caret on, wrapping around at the ends of the text. */
export function nextFrom(state: EditorState, direction: 1 | -1): Suggestion | null {
  const { shown, active } = findingsOf(state);
  const current = shown.findIndex((suggestion) => suggestion.id === active);
  if (current >= 0) return shown.at((current + direction) % shown.length) ?? null;
  const head = state.selection.main.head;
  const beyond =
    direction === 1 ? shown.find(({ to }) => to >= head) : shown.findLast(({ from }) => from <= head);
  return beyond ?? shown.at(direction === 1 ? 0 : -1) ?? null;
}
