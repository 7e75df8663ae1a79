/** A message about the last action, with a button that undoes it. */
import type { ChangeDesc } from "@codemirror/state";
import { announce } from "./announcer";
import { find, make } from "./elements";

const MILLISECONDS = 7000;

/** An action that can be undone. */
export interface Undo {
  run(): void;
  /** Moves along with a later change of the text. */
  follow?(changes: ChangeDesc): void;
  /** False once there is nothing left to undo. */
  readonly isPossible?: boolean;
}

let timer: ReturnType<typeof setTimeout> | undefined;
let offered: Undo | undefined;
let giveFocusBack = () => {};

/**
 * Connects the toast. When it closes while it has the focus, the focus goes back to where it was: `focusBack` gets the
 * element that had it and returns what to do, since elements of the list may be made anew meanwhile.
 */
export function connectToast(focusBack: (before: Element) => () => void): void {
  const place = find("toast");
  place.addEventListener("focusin", ({ relatedTarget }) => {
    if (relatedTarget instanceof Element && !place.contains(relatedTarget)) giveFocusBack = focusBack(relatedTarget);
  });
  place.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideToast();
  });
}

/** Shows a message for some seconds. */
export function toast(message: string, undo?: Undo): void {
  const place = find("toast");
  hideToast();
  offered = undo;
  const run = () => {
    hideToast();
    undo?.run();
  };
  const button = undo ? [make("button", { type: "button", onclick: run }, "Undo")] : [];
  place.replaceChildren(make("p", {}, message), ...button);
  announce(message);
  const wait = () => {
    timer = setTimeout(() => (place.matches(":hover, :focus-within") ? wait() : hideToast()), MILLISECONDS);
  };
  wait();
}

/** Keeps the offered undo in step with a change of the text, and withdraws it if nothing is left to undo. */
export function followChange(changes: ChangeDesc): void {
  offered?.follow?.(changes);
  if (offered?.isPossible === false) hideToast();
}

/** Hides the message about an earlier action. */
export function hideToast(): void {
  const place = find("toast");
  const held = place.contains(document.activeElement);
  clearTimeout(timer);
  offered = undefined;
  place.replaceChildren();
  if (held) giveFocusBack();
}
