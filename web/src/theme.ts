import { recall, remember } from "./memory";

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Runs before the page is painted, so that nobody who chose dark is shown a flash of light. */
export function applyTheme(): void {
  const chosen = recall("theme");
  if (chosen) document.documentElement.dataset["theme"] = chosen;
}

export function connectThemeButton(button: HTMLButtonElement): void {
  const isDark = () => (recall("theme") ?? (DARK.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.title = `Change to ${isDark() ? "light" : "dark"} colours`;
  };
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    // A choice that is the system's own is forgotten, so that the page follows the system again.
    remember("theme", next === (DARK.matches ? "dark" : "light") ? null : next);
    show();
  });
  DARK.addEventListener("change", () => {
    if (recall("theme") === null) delete document.documentElement.dataset["theme"];
    show();
  });
  show();
}
