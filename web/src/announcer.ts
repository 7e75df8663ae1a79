import { find } from "./elements";

/** Announces a message to users of screen readers. */
export function announce(message: string): void {
  // A screen reader repeats a message only if the region was empty in between.
  const region = find("announcer");
  region.textContent = "";
  setTimeout(() => (region.textContent = message), 50);
}
