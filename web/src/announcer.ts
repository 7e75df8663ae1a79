import { find, make } from "./elements";

/** Announces a message to users of screen readers. */
export function announce(message: string): void {
  // A screen reader repeats a message only if the region was empty in between.
  const region = find("announcer");
  region.textContent = "";
  setTimeout(() => (region.textContent = message), 50);
}

const TOAST_MILLISECONDS = 7000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message for some seconds, with an optional action such as Undo. */
export function toast(message: string, action?: { readonly name: string; readonly run: () => void }): void {
  const place = find("toast");
  clearTimeout(timer);
  const hide = () => place.replaceChildren();
  const button = action
    ? make("button", { type: "button", onclick: () => (hide(), action.run()) }, action.name)
    : null;
  place.replaceChildren(make("p", {}, message), ...(button ? [button] : []));
  announce(message);
  const wait = () => {
    timer = setTimeout(() => (place.matches(":hover, :focus-within") ? wait() : hide()), TOAST_MILLISECONDS);
  };
  wait();
}
