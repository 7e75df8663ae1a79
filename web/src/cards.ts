/** The list of suggestions beside the text. It follows the part of the text that is in view. */
import type { EditorView } from "@codemirror/view";
import { type Action, describe, runKey } from "./actions";
import { changeView, surroundings } from "./change_view";
import type { Status } from "./checker";
import { goTo, nextFrom } from "./editor";
import { count, find, make } from "./elements";
import { activate, type Findings, findingsOf, type Sentence, type Suggestion } from "./findings";
import { lookOf, titleOf } from "./kinds";
import { type Labels, labelsOf } from "./labels";

/** Cards shown at once; more would make the page slow. */
const MAX_CARDS = 120;

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
  /** The first suggestion in the part of the text that is in view. */
  private inView: number | null = null;
  private frame = 0;

  /** `openCard` moves the focus into the card of the open suggestion; `top` is the first visible pixel of the text. */
  constructor(
    private readonly view: EditorView,
    private readonly actions: readonly Action[],
    private readonly openCard: () => void,
    private readonly top: () => number,
  ) {
    this.list.addEventListener("keydown", (event) => this.press(event));
    // Opening the decoding view makes the list shorter; keep the active card visible.
    new ResizeObserver(() => this.reveal(this.last?.active ?? null)).observe(this.list);
    addEventListener("scroll", () => this.followSoon());
  }

  /** Opens the active suggestion, or the next one from the caret on, with the focus in the list. */
  focus(): void {
    const { shown, active } = findingsOf(this.view.state);
    const target = shown.find(({ id }) => id === active) ?? nextFrom(this.view.state, 1);
    if (target) this.select(target);
    else this.view.focus();
  }

  /** Puts the focus on the suggestion at the caret, or on the next one, and opens nothing. */
  focusBack(): void {
    const target = nextFrom(this.view.state, 1);
    const head = target && this.known.get(target.id)?.element.querySelector("button");
    if (head) head.focus();
    else this.view.focus();
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
    this.render(moved && active !== null ? active : this.inView);
    this.showHeading();
    this.acceptAll.hidden = !shown.some(({ certain }) => certain);
    if (held) this.keepFocus(held, shown);
    if (moved) this.reveal(active);
    this.followSoon();
  }

  /** In the next frame: while the editor updates, its layout cannot be read. */
  private followSoon(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.follow();
    });
  }

  /** Makes the cards around a suggestion. */
  private render(around: number | null): void {
    const { shown, active } = this.last!;
    const current = Math.max(0, shown.findIndex(({ id }) => id === around));
    const start = Math.max(0, Math.min(current - MAX_CARDS / 2, shown.length - MAX_CARDS));
    const visible = shown.slice(start, start + MAX_CARDS);
    // The Tab key reaches one card of the list; the arrow keys move through it.
    const reached = visible.find(({ id }) => id === active)?.id ?? visible[0]?.id;
    this.known = new Map(visible.map((item) => [item.id, this.card(item, item.id === active, item.id === reached)]));
    const omitted = (number: number, where: string) =>
      number > 0 ? [make("li", { class: "further" }, `${count(number, "suggestion")} ${where}`)] : [];
    sync(this.list, [
      ...omitted(start, "before these"),
      ...[...this.known.values()].map(({ element }) => element),
      ...omitted(shown.length - start - visible.length, "after these"),
    ]);
  }

  /** Scrolls the list to the suggestions of the text that is in view. */
  private follow(): void {
    const { shown, active } = this.last ?? {};
    if (!shown?.length) return;
    const { left, top } = this.view.contentDOM.getBoundingClientRect();
    const start = this.view.posAtCoords({ x: left + 1, y: Math.max(top + 1, this.top()) }, false);
    const first = shown.find(({ to }) => to >= start) ?? shown.at(-1)!;
    if (first.id === this.inView) return;
    this.inView = first.id;
    if (!this.known.has(first.id)) this.render(first.id);
    const card = this.known.get(first.id)!.element;
    this.list.scrollTop += card.getBoundingClientRect().top - this.list.getBoundingClientRect().top;
    const chosen = shown.find(({ id }) => id === active);
    if (chosen && chosen.to >= start) this.reveal(chosen.id);
  }

  /** Scrolls the list, and not the page, so that a card is in view. */
  private reveal(id: number | null): void {
    const card = id === null ? undefined : this.known.get(id)?.element;
    if (!card) return;
    const [inner, outer] = [card.getBoundingClientRect(), this.list.getBoundingClientRect()];
    if (inner.top < outer.top) this.list.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) this.list.scrollTop += inner.bottom - outer.bottom;
  }

  private showHeading(): void {
    const { shown, sentences } = findingsOf(this.view.state);
    const unchecked = uncheckedMessage(sentences);
    const labels = labelsOf(this.view.state);
    this.heading.textContent = this.headingText(labels, shown.length, sentences);
    if (this.acceptAll.textContent !== labels.acceptAll) this.acceptAll.textContent = labels.acceptAll;
    this.unchecked.hidden = !unchecked;
    if (this.unchecked.textContent !== unchecked) this.unchecked.textContent = unchecked;
  }

  private headingText(labels: Labels, suggestions: number, sentences: readonly Sentence[]): string {
    if (suggestions) return labels.suggestions(suggestions);
    if (!this.view.state.doc.toString().trim()) return labels.empty;
    if (this.check === "pending") return labels.checking;
    const isUnchecked = sentences.length > 0 && sentences.every(({ unchecked }) => unchecked);
    return this.check === "failed" || isUnchecked ? labels.unchecked : labels.none;
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
    if (event.key === "Escape") {
      this.view.dispatch({ effects: activate.of(null) });
      this.view.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const { shown } = findingsOf(this.view.state);
      const place = shown.findIndex(({ id }) => id === held?.id) + (event.key === "ArrowDown" ? 1 : -1);
      const next = shown[place];
      if (next) this.select(next);
    } else if (event.key === "Enter" && held) {
      this.select(held);
      this.openCard();
    } else if (!held || !runKey(this.actions, event.key, held)) return;
    event.preventDefault();
  }

  private card(suggestion: Suggestion, active: boolean, reached: boolean): Card {
    const { id, source, replacement } = suggestion;
    const context = surroundings(suggestion, this.view.state.doc);
    const name = titleOf(suggestion);
    const look = JSON.stringify([active, reached, name, source, replacement, context]);
    const known = this.known.get(id);
    if (known?.look === look) return known;
    const element = known?.element ?? make("li");
    const refocus = element.contains(document.activeElement);
    element.className = `card ${lookOf(suggestion)}${active ? " active" : ""}`;
    const head = make(
      "button",
      {
        type: "button",
        class: "head",
        tabindex: reached ? 0 : -1,
        "aria-current": active ? "true" : undefined,
        "aria-label": `${name}: ${describe(suggestion)}`,
        onclick: () => goTo(this.view, this.last?.all.find((other) => other.id === id) ?? suggestion),
      },
      changeView(suggestion, context),
      make("span", { class: "kind" }, name),
    );
    element.replaceChildren(head);
    if (refocus) head.focus();
    return { element, look };
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

/** Replaces the children of a list, changing only those that differ, so that the focus is kept. */
function sync(list: HTMLElement, wanted: readonly HTMLElement[]): void {
  const kept = new Set<Element>(wanted);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  wanted.forEach((element, place) => {
    if (list.children[place] !== element) list.insertBefore(element, list.children[place] ?? null);
  });
}
