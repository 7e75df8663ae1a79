/** The user's settings. Only the extension's own pages and its background script read them. */

export const DEFAULT_ADDRESS = "http://127.0.0.1:8081";
const DEFAULTS = { address: DEFAULT_ADDRESS, key: "", off: [] };
const LOCAL_NAMES = ["127.0.0.1", "localhost"];

/** The address and API key of the server, and the host names of sites where the extension is off. */
export function readSettings() {
  return chrome.storage.local.get(DEFAULTS);
}

export async function writeServer(address, key) {
  await chrome.storage.local.set({ address: localOrigin(address), key: key.trim() });
}

export async function switchSite(site, on) {
  const { off } = await readSettings();
  const others = off.filter((name) => name !== site);
  await chrome.storage.local.set({ off: on ? others : [...others, site] });
}

/** The origin of an address; an error unless it is on this machine. */
export function localOrigin(address) {
  const url = URL.parse(address.trim() || DEFAULT_ADDRESS);
  if (url?.protocol !== "http:" || !LOCAL_NAMES.includes(url.hostname)) {
    throw new Error("The address must be on this machine: http://127.0.0.1 or http://localhost, with a port.");
  }
  return url.origin;
}

/** Keeps content scripts, which run inside web pages' processes, from reading the API key. Firefox has no such function. */
export function protectSettings() {
  return chrome.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });
}
