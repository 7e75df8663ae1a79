/** The list of suggestions beside the text. */
import type { EditorView } from "@codemirror/view";
import type { Choice } from "./choices";
import { describe } from "./choices";
import { goTo } from "./editor";
import { count, find, make } from "./elements";
import { activate, type Findings, findingsOf, type Suggestion } from "./findings";
import { familyOf, nameOf } from "./kinds";
import { languageOf } from "./languages";

/** More cards than these help nobody and make the page slow. */
const MOST = 120;

// A word, or a few characters where words have no spaces between them.
const BEFORE = /(?:[^\s\p{sc=Han}]*\s*|[^\s\p{Cs}。！？；]{0,3}\p{sc=Han}[^\s\p{Cs}。！？；]{0,3})$/u;
const AFTER = /^(?:[^\s\p{Cs}]{0,3}\p{sc=Han}[^\s\p{Cs}]{0,3}|\s*[^\s\p{sc=Han}]*)/u;

interface Card {
  readonly element: HTMLLIElement;
  readonly look: string;
}

export class Cards {
  private readonly list = find("cards");
  private readonly heading = find("found");
  private readonly acceptAll = find<HTMLButtonElement>("accept-all");
  private known = new Map<number, Card>();
  private last: Findings | undefined;

  constructor(
    private readonly view: EditorView,
    private readonly choices: readonly Choice[],
  ) {
    this.list.addEventListener("keydown", (event) => this.press(event));
    // The list is shorter while the decoding view is open; the open card is to stay in sight.
    new ResizeObserver(() => this.list.querySelector(".open")?.scrollIntoView({ block: "nearest" })).observe(this.list);
  }

  /** Puts the focus on the active card, or the first. */
  focus(): void {
    const { shown, active } = findingsOf(this.view.state);
    const target = shown.find(({ id }) => id === active) ?? shown[0];
    if (target) this.select(target);
  }

  update(): void {
    const now = findingsOf(this.view.state);
    if (now === this.last) return;
    const { shown, active } = now;
    const moved = this.last?.active !== active;
    const held = this.held();
    this.last = now;
    const current = Math.max(0, shown.findIndex(({ id }) => id === active));
    const start = Math.max(0, Math.min(current - MOST / 2, shown.length - MOST));
    const visible = shown.slice(start, start + MOST);
    // The Tab key stops once in the list; the arrow keys go through it.
    const reached = active ?? visible[0]?.id;
    const cards = new Map(visible.map((item) => [item.id, this.card(item, item.id === active, item.id === reached)]));
    this.known = cards;
    const remark = (number: number, where: string) =>
      number > 0 ? [make("li", { class: "further" }, `${count(number, "suggestion")} ${where}`)] : [];
    sync(this.list, [
      ...remark(start, "before these"),
      ...[...cards.values()].map(({ element }) => element),
      ...remark(shown.length - start - visible.length, "after these"),
    ]);
    this.heading.textContent = shown.length ? count(shown.length, "suggestion") : "No suggestions";
    this.acceptAll.hidden = shown.length === 0;
    if (held) this.keepFocus(held, shown);
    const opened = moved && shown.find(({ id }) => id === active);
    if (opened) this.reveal(opened, cards.get(opened.id)!.element);
  }

  /** Brings a card into view; where it lies over the text, the text out from under it. */
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

  /** The card that had the focus may be gone: the next one takes over, so that nobody has to start again at the top. */
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
      const choice = this.choices.find(({ key }) => key === event.key.toLowerCase());
      if (!choice || !held || !choice.fits(held)) return;
      choice.run(held);
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
    const buttons = this.choices
      .filter(({ fits }) => fits(suggestion))
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
        make("meter", { min: 0, max: 100, value: percent, "aria-label": "How sure the model is" }),
        `${percent}% sure`,
      ),
      make("div", { class: "choices" }, ...buttons),
      close,
    ];
  }

  private close(): void {
    this.view.dispatch({ effects: activate.of(null) });
  }

  private current(id: number): Suggestion | undefined {
    return findingsOf(this.view.state).all.find((suggestion) => suggestion.id === id);
  }

  /** The words beside something that is put in or left out, without which it would not say much. */
  private surroundings({ from, to, source, replacement }: Suggestion): [string, string] {
    if (source.trim() && replacement.trim()) return ["", ""];
    const { doc } = this.view.state;
    const before = BEFORE.exec(doc.sliceString(Math.max(0, from - 24), from))?.[0] ?? "";
    const after = AFTER.exec(doc.sliceString(to, to + 24))?.[0] ?? "";
    return [before, after];
  }
}

function change(source: string, replacement: string, before: string, after: string): (Node | string)[] {
  if (source.trim() && replacement.trim()) {
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" }, " → ");
    return [make("del", {}, source.trim()), arrow, make("ins", {}, replacement.trim())];
  }
  return [before, ...marked("del", source), ...marked("ins", replacement), after];
}

/** Spaces at the ends stay outside, where no line is drawn through them. */
function marked(name: "del" | "ins", text: string): (Node | string)[] {
  const [, left = "", inner = "", right = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return inner ? [left, make(name, {}, inner), right] : text ? [make(name, {}, text.replaceAll(" ", "␣"))] : [];
}

/** Changes the children of a list to these, and touches only what differs, so that the focus stays where it is. */
function sync(list: HTMLElement, wanted: readonly HTMLElement[]): void {
  const kept = new Set<Element>(wanted);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  wanted.forEach((element, place) => {
    if (list.children[place] !== element) list.insertBefore(element, list.children[place] ?? null);
  });
}
