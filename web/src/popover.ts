/** The card of the open suggestion, at its word; on a phone at the lower edge. */
import type { EditorView } from "@codemirror/view";
import { type Action, describe, runKey } from "./actions";
import type { Alternatives } from "./alternatives";
import { announce } from "./announcer";
import { changeView, surroundings } from "./change_view";
import { accept } from "./editor";
import { find, make } from "./elements";
import { activate, findingsOf, openOf, type Suggestion } from "./findings";
import { lookOf, titleOf } from "./kinds";
import { labelsFor } from "./labels";
import { languageOf } from "./languages";
import type { Alternative } from "./server";

/** Pixels between the word and the card, and between the card and the edges. */
const GAP = 8;

export class Popover {
  private readonly element = find("card");
  private shown: Suggestion | null = null;
  private look = "";
  /** Whether the focus came from the list of suggestions. */
  private isFromList = false;
  /** Whether the card has not been placed since it was opened. */
  private isNew = false;

  /** `focusList` gives the focus back to the list of suggestions; `covered` is the height covered at the bottom. */
  constructor(
    private readonly view: EditorView,
    private readonly actions: readonly Action[],
    private readonly alternatives: Alternatives,
    private readonly focusList: () => void,
    private readonly covered: () => number,
  ) {
    const { element } = this;
    element.addEventListener("keydown", (event) => this.press(event));
    element.addEventListener("focusin", ({ relatedTarget }) => {
      if (relatedTarget instanceof Element && !element.contains(relatedTarget)) {
        this.isFromList = relatedTarget.closest("#cards") !== null;
      }
    });
    addEventListener("pointerdown", ({ target }) => {
      const inside = target instanceof Element && target.closest("#card, #editor, #suggestions, #toast, .decoding");
      if (!inside && this.shown) this.close();
    });
    addEventListener("resize", () => this.place());
  }

  get isOpen(): boolean {
    return this.shown !== null;
  }

  /** Moves the focus into the card. */
  focus(): void {
    this.element.querySelector("button")?.focus();
  }

  close(): void {
    this.view.dispatch({ effects: activate.of(null) });
  }

  /** Shows the suggestion that is open now, after any change of the editor. */
  update(): void {
    const open = openOf(this.view.state);
    const before = this.shown;
    this.shown = open;
    if (!open) return before ? this.hide() : undefined;
    const context = surroundings(open, this.view.state.doc);
    const { id, source, replacement, kind, explanation, confidence } = open;
    const look = JSON.stringify([id, source, replacement, kind, explanation, confidence, context]);
    if (look !== this.look) this.show(open, context);
    this.look = look;
    this.isNew ||= before?.id !== id;
    this.place();
  }

  private show(suggestion: Suggestion, context: [string, string]): void {
    const { element } = this;
    const held = element.contains(document.activeElement);
    const labels = labelsFor(suggestion.sentence);
    const percent = Math.round(suggestion.confidence * 100);
    const chips = make("div", { class: "chips", role: "group", "aria-label": labels.others, hidden: true });
    element.className = `card popover ${lookOf(suggestion)}`;
    element.lang = languageOf(suggestion.sentence);
    element.setAttribute("aria-label", `${titleOf(suggestion)}: ${describe(suggestion)}`);
    element.replaceChildren(
      make(
        "p",
        { class: "head" },
        changeView(suggestion, context),
        make("span", { class: "kind" }, titleOf(suggestion)),
      ),
      make("p", { class: "why", lang: languageOf(suggestion.explanation) }, suggestion.explanation),
      make(
        "p",
        { class: "sure" },
        make("meter", { min: 0, max: 100, value: percent, "aria-label": "Confidence" }),
        labels.sure(percent),
      ),
      make("div", { class: "actions" }, ...this.buttons(suggestion)),
      chips,
      make("button", { type: "button", class: "close", "aria-label": labels.close, onclick: () => this.leave() }, "×"),
    );
    element.hidden = false;
    if (held) this.focus();
    if (!held) this.isFromList = false;
    void this.offerOthers(suggestion, chips);
  }

  private buttons(suggestion: Suggestion): HTMLElement[] {
    const labels = labelsFor(suggestion.sentence);
    return this.actions
      .filter(({ isAvailable }) => isAvailable(suggestion))
      .map(({ label, key, run }, place) =>
        make(
          "button",
          {
            type: "button",
            class: place ? "quiet" : "main",
            "aria-keyshortcuts": key.toUpperCase(),
            onclick: () => this.run(run, suggestion),
          },
          labels[label],
          make("kbd", { "aria-hidden": "true" }, key.toUpperCase()),
        ),
      );
  }

  /** Adds a chip for each other replacement, once the server has looked them up. */
  private async offerOthers(suggestion: Suggestion, chips: HTMLElement): Promise<void> {
    let others: readonly Alternative[];
    try {
      others = await this.alternatives.others(suggestion);
    } catch {
      return; // the page says elsewhere that the server does not answer
    }
    if (!others.length || !chips.isConnected) return;
    const labels = labelsFor(suggestion.sentence);
    const chip = ({ replacement, confidence }: Alternative) =>
      make(
        "button",
        {
          type: "button",
          class: "chip",
          lang: languageOf(suggestion.source + replacement),
          title: labels.sure(Math.round(confidence * 100)),
          onclick: () => this.run((chosen) => this.acceptOther(chosen, replacement), suggestion),
        },
        replacement.trim() || `${labels.remove} ${suggestion.source.trim()}`,
      );
    chips.replaceChildren(make("span", { class: "hint" }, `${labels.others}`), ...others.map(chip));
    chips.hidden = false;
    this.place();
  }

  private acceptOther(suggestion: Suggestion, replacement: string): void {
    const chosen = { ...suggestion, replacement };
    accept(this.view, [chosen]);
    announce(`Accepted: ${describe(chosen)}`);
  }

  private run(action: (suggestion: Suggestion) => void, suggestion: Suggestion): void {
    const current = findingsOf(this.view.state).all.find(({ id }) => id === suggestion.id) ?? suggestion;
    action(current);
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.shown) return;
    if (event.key === "Escape") this.leave();
    else if (!runKey(this.actions, event.key, this.shown)) return;
    event.preventDefault();
  }

  /** Closes the card and gives the focus back. */
  private leave(): void {
    const held = this.element.contains(document.activeElement);
    this.close();
    if (!held) this.view.focus();
  }

  private hide(): void {
    const { element, isFromList } = this;
    const held = element.contains(document.activeElement);
    element.hidden = true;
    element.replaceChildren();
    this.look = "";
    this.isFromList = false;
    if (!held) return;
    // Not during an update of the editor, which the focus would interrupt.
    queueMicrotask(() => (isFromList ? this.focusList() : this.view.focus()));
  }

  /** Puts the card below its word, or above it where there is more room; on a phone, scrolls the text from under it. */
  private place(): void {
    const { element, shown } = this;
    if (!shown) return;
    this.view.requestMeasure({
      key: this,
      read: (view) => ({
        start: view.coordsAtPos(shown.from, 1),
        end: view.coordsAtPos(shown.to, -1),
        sheet: element.parentElement!.getBoundingClientRect(),
        card: element.getBoundingClientRect(),
        isFixed: getComputedStyle(element).position === "fixed",
      }),
      write: ({ start, end, sheet, card, isFixed }) => {
        if (!start || !end) return;
        const { isNew } = this;
        this.isNew = false;
        if (isFixed) {
          const hidden = end.bottom + 3 * GAP - card.top;
          if (isNew && hidden > 0) scrollBy({ top: hidden });
          return;
        }
        const below = innerHeight - this.covered() - end.bottom;
        const isAbove = below < card.height + 2 * GAP && start.top > below;
        const left = Math.min(start.left - sheet.left - 2 * GAP, sheet.width - card.width - GAP);
        element.style.setProperty("--left", `${Math.max(GAP, left)}px`);
        element.style.setProperty("--top", isAbove ? "auto" : `${end.bottom - sheet.top + GAP}px`);
        element.style.setProperty("--bottom", isAbove ? `${sheet.bottom - start.top + GAP}px` : "auto");
      },
    });
  }
}
