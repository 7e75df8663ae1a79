/** Values stored in the browser between visits. If the browser refuses storage, nothing is stored. */
const PREFIX = "redraft.";

export function loadValue(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Stores a value, or removes it if null. False if the browser refused. */
export function saveValue(name: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false;
  }
}
