import { find, make } from "./elements";

/** Says something to people who listen to the page. */
export function announce(message: string): void {
  // The same message twice is told twice only if the region was empty in between.
  const region = find("announcer");
  region.textContent = "";
  setTimeout(() => (region.textContent = message), 50);
}

const STAYS = 7000;
let leaving: ReturnType<typeof setTimeout> | undefined;

/** A message that goes away by itself, with something that can be done about it. */
export function toast(message: string, action?: { readonly name: string; readonly run: () => void }): void {
  const place = find("toast");
  clearTimeout(leaving);
  const leave = () => place.replaceChildren();
  const button = action
    ? make("button", { type: "button", onclick: () => (leave(), action.run()) }, action.name)
    : null;
  place.replaceChildren(make("p", {}, message), ...(button ? [button] : []));
  announce(message);
  const wait = () => {
    leaving = setTimeout(() => (place.matches(":hover, :focus-within") ? wait() : leave()), STAYS);
  };
  wait();
}
