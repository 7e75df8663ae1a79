import { loadValue, saveValue } from "./storage";

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Runs before the page is painted, so that the dark theme does not flash light first. */
export function applyTheme(): void {
  const chosen = loadValue("theme");
  if (chosen) document.documentElement.dataset["theme"] = chosen;
}

export function connectThemeButton(button: HTMLButtonElement): void {
  const isDark = () => (loadValue("theme") ?? (DARK.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.title = `Change to ${isDark() ? "light" : "dark"} colours`;
  };
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    // A choice equal to the system's is not stored, so that the page follows the system again.
    saveValue("theme", next === (DARK.matches ? "dark" : "light") ? null : next);
    show();
  });
  DARK.addEventListener("change", () => {
    if (loadValue("theme") === null) delete document.documentElement.dataset["theme"];
    show();
  });
  show();
}
