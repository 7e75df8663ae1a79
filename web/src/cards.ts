/** The list of suggestions beside the text. */
import type { EditorView } from "@codemirror/view";
import { type Action, describe } from "./actions";
import { goTo } from "./editor";
import { count, find, make } from "./elements";
import type { Status } from "./checker";
import { activate, type Findings, findingsOf, type Sentence, type Suggestion } from "./findings";
import { familyOf, nameOf } from "./kinds";
import { languageOf } from "./languages";

/** Cards shown at once; more would make the page slow. */
const MAX_CARDS = 120;

// The word beside a suggestion, or a few characters in scripts without spaces.
const BEFORE = /(?:[^\s\p{sc=Han}]*\s*|[^\s\p{Cs}。！？；]{0,3}\p{sc=Han}[^\s\p{Cs}。！？；]{0,3})$/u;
const AFTER = /^(?:[^\s\p{Cs}]{0,3}\p{sc=Han}[^\s\p{Cs}]{0,3}|\s*[^\s\p{sc=Han}]*)/u;

interface Card {
  readonly element: HTMLLIElement;
  readonly look: string;
}

export class Cards {
  private readonly list = find("cards");
  private readonly heading = find("found");
  private readonly unchecked = find("unchecked");
  private readonly acceptAll = find<HTMLButtonElement>("accept-all");
  private known = new Map<number, Card>();
  private last: Findings | undefined;
  private check: "pending" | "done" | "failed" = "pending";

  constructor(
    private readonly view: EditorView,
    private readonly actions: readonly Action[],
  ) {
    this.list.addEventListener("keydown", (event) => this.press(event));
    // Opening the decoding view makes the list shorter; keep the open card visible.
    new ResizeObserver(() => this.list.querySelector(".open")?.scrollIntoView({ block: "nearest" })).observe(this.list);
  }

  /** Puts the focus on the active card, or the first. */
  focus(): void {
    const { shown, active } = findingsOf(this.view.state);
    const target = shown.find(({ id }) => id === active) ?? shown[0];
    if (target) this.select(target);
  }

  /** Shows in the heading whether the text was checked. */
  report(status: Status): void {
    if (status.is === "checked") this.check = "done";
    else if (status.is !== "checking") this.check = status.is === "empty" ? "pending" : "failed";
    this.showHeading();
  }

  update(): void {
    const now = findingsOf(this.view.state);
    if (now === this.last) return;
    const { shown, active } = now;
    const moved = this.last?.active !== active;
    const held = this.held();
    this.last = now;
    const current = Math.max(0, shown.findIndex(({ id }) => id === active));
    const start = Math.max(0, Math.min(current - MAX_CARDS / 2, shown.length - MAX_CARDS));
    const visible = shown.slice(start, start + MAX_CARDS);
    // The Tab key reaches one card of the list; the arrow keys move through it.
    const reached = active ?? visible[0]?.id;
    const cards = new Map(visible.map((item) => [item.id, this.card(item, item.id === active, item.id === reached)]));
    this.known = cards;
    const omitted = (number: number, where: string) =>
      number > 0 ? [make("li", { class: "further" }, `${count(number, "suggestion")} ${where}`)] : [];
    sync(this.list, [
      ...omitted(start, "before these"),
      ...[...cards.values()].map(({ element }) => element),
      ...omitted(shown.length - start - visible.length, "after these"),
    ]);
    this.showHeading();
    this.acceptAll.hidden = shown.length === 0;
    if (held) this.keepFocus(held, shown);
    const opened = moved && shown.find(({ id }) => id === active);
    if (opened) this.reveal(opened, cards.get(opened.id)!.element);
  }

  private showHeading(): void {
    const { shown, sentences } = findingsOf(this.view.state);
    const unchecked = uncheckedMessage(sentences);
    this.heading.textContent = this.headingText(shown.length, sentences);
    this.unchecked.hidden = !unchecked;
    if (this.unchecked.textContent !== unchecked) this.unchecked.textContent = unchecked;
  }

  private headingText(suggestions: number, sentences: readonly Sentence[]): string {
    if (suggestions) return count(suggestions, "suggestion");
    if (!this.view.state.doc.toString().trim()) return "Suggestions appear here";
    if (this.check === "pending") return "Checking…";
    const isUnchecked = sentences.length > 0 && sentences.every(({ unchecked }) => unchecked);
    return this.check === "failed" || isUnchecked ? "Not checked" : "No suggestions";
  }

  /** Scrolls a card into view; on a phone, where it covers the text, scrolls the text away from under it. */
  private reveal({ to }: Suggestion, card: HTMLElement): void {
    if (getComputedStyle(card).position !== "fixed") return card.scrollIntoView({ block: "nearest" });
    this.view.requestMeasure({
      read: (view) => view.coordsAtPos(to)?.bottom ?? 0,
      write: (bottom) => {
        const hidden = bottom + 24 - card.getBoundingClientRect().top;
        if (hidden > 0) scrollBy({ top: hidden });
      },
    });
  }

  private held(): Suggestion | null {
    const item = document.activeElement?.closest("#cards > li");
    return this.last?.shown.find(({ id }) => this.known.get(id)?.element === item) ?? null;
  }

  /** If the card with the focus is gone, moves the focus to the next one. */
  private keepFocus(held: Suggestion, shown: readonly Suggestion[]): void {
    if (this.list.contains(document.activeElement)) return;
    const next = shown.find(({ id }) => id === held.id) ?? shown.find(({ from }) => from >= held.from) ?? shown.at(-1);
    if (next) queueMicrotask(() => this.select(next));
    else this.view.focus();
  }

  private select(suggestion: Suggestion): void {
    goTo(this.view, suggestion);
    this.known.get(suggestion.id)?.element.querySelector("button")?.focus();
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const held = this.held();
    if (event.key === "Escape") this.view.focus();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const { shown } = findingsOf(this.view.state);
      const place = shown.findIndex(({ id }) => id === held?.id) + (event.key === "ArrowDown" ? 1 : -1);
      const next = shown[place];
      if (next) this.select(next);
    } else {
      const action = this.actions.find(({ key }) => key === event.key.toLowerCase());
      if (!action || !held || !action.isAvailable(held)) return;
      action.run(held);
    }
    event.preventDefault();
  }

  private card(suggestion: Suggestion, open: boolean, reached: boolean): Card {
    const { id, kind, source, replacement, explanation, confidence } = suggestion;
    const [before, after] = this.surroundings(suggestion);
    const look = JSON.stringify([open, reached, kind, source, replacement, explanation, confidence, before, after]);
    const known = this.known.get(id);
    if (known?.look === look) return known;
    const element = known?.element ?? make("li");
    const refocus = element.contains(document.activeElement);
    element.className = `card ${familyOf(kind)}${open ? " open" : ""}`;
    const head = make(
      "button",
      {
        type: "button",
        class: "head",
        tabindex: reached ? 0 : -1,
        "aria-expanded": String(open),
        "aria-label": `${nameOf(kind)}: ${describe(suggestion)}`,
        onclick: () => (open ? this.close() : goTo(this.view, this.current(id) ?? suggestion)),
      },
      make("span", { class: "change", lang: languageOf(source + replacement) }, ...change(source, replacement, before, after)),
      make("span", { class: "kind" }, nameOf(kind)),
    );
    element.replaceChildren(head, ...(open ? this.details(suggestion) : []));
    if (refocus) head.focus();
    return { element, look };
  }

  private details(suggestion: Suggestion): HTMLElement[] {
    const percent = Math.round(suggestion.confidence * 100);
    const buttons = this.actions
      .filter(({ isAvailable }) => isAvailable(suggestion))
      .map(({ name, key, run }, place) =>
        make(
          "button",
          {
            type: "button",
            class: place ? "quiet" : "main",
            "aria-keyshortcuts": key.toUpperCase(),
            onclick: () => run(this.current(suggestion.id) ?? suggestion),
          },
          name,
          make("kbd", { "aria-hidden": "true" }, key.toUpperCase()),
        ),
      );
    const close = make(
      "button",
      {
        type: "button",
        class: "close",
        "aria-label": "Close this suggestion",
        onclick: () => this.close(),
      },
      "×",
    );
    return [
      make("p", { class: "why", lang: languageOf(suggestion.explanation) }, suggestion.explanation),
      make(
        "p",
        { class: "sure" },
        make("meter", { min: 0, max: 100, value: percent, "aria-label": "Confidence" }),
        `${percent}% sure`,
      ),
      make("div", { class: "actions" }, ...buttons),
      close,
    ];
  }

  private close(): void {
    this.view.dispatch({ effects: activate.of(null) });
  }

  private current(id: number): Suggestion | undefined {
    return findingsOf(this.view.state).all.find((suggestion) => suggestion.id === id);
  }

  /** The words beside an insertion or a deletion, which are shown as its context. */
  private surroundings({ from, to, source, replacement }: Suggestion): [string, string] {
    if (source.trim() && replacement.trim()) return ["", ""];
    const { doc } = this.view.state;
    const before = BEFORE.exec(doc.sliceString(Math.max(0, from - 24), from))?.[0] ?? "";
    const after = AFTER.exec(doc.sliceString(to, to + 24))?.[0] ?? "";
    return [before, after];
  }
}

/** How many sentences were not checked, and why; empty if all were checked. */
export function uncheckedMessage(sentences: readonly Sentence[]): string {
  const counts = new Map<string, number>();
  for (const { unchecked } of sentences) {
    if (unchecked) counts.set(unchecked.message, (counts.get(unchecked.message) ?? 0) + 1);
  }
  return [...counts]
    .map(([message, number]) => `${count(number, "sentence")} ${number === 1 ? "was" : "were"} not checked: ${message}.`)
    .join(" ");
}

function change(source: string, replacement: string, before: string, after: string): (Node | string)[] {
  if (source.trim() && replacement.trim()) {
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" }, " → ");
    return [make("del", {}, source.trim()), arrow, make("ins", {}, replacement.trim())];
  }
  return [before, ...marked("del", source), ...marked("ins", replacement), after];
}

/** Keeps spaces at the ends outside the element, so that no line is drawn through them. */
function marked(name: "del" | "ins", text: string): (Node | string)[] {
  const [, left = "", inner = "", right = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return inner ? [left, make(name, {}, inner), right] : text ? [make(name, {}, text.replaceAll(" ", "␣"))] : [];
}

/** Replaces the children of a list, changing only those that differ, so that the focus is kept. */
function sync(list: HTMLElement, wanted: readonly HTMLElement[]): void {
  const kept = new Set<Element>(wanted);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  wanted.forEach((element, place) => {
    if (list.children[place] !== element) list.insertBefore(element, list.children[place] ?? null);
  });
}
