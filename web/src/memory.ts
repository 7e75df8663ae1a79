/** What the browser keeps between visits. A browser that refuses to keep anything only costs the memory. */
const PREFIX = "redraft.";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** False if the browser did not take it. */
export function remember(name: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false;
  }
}
