/** The popup: whether the server answers, and the switch for the site in the tab. */
import { readSettings, switchSite } from "./settings.js";

const find = (id) => document.getElementById(id);
const ORIGINS = { origins: chrome.runtime.getManifest().host_permissions };

async function showServer() {
  const isAllowed = await chrome.permissions.contains(ORIGINS);
  find("allow").hidden = isAllowed;
  const { error, status } = isAllowed ? await chrome.runtime.sendMessage({ type: "probe" }) : { error: "The browser has not allowed access to the server yet." };
  const { address } = await readSettings();
  find("server").textContent = error ? explain(error, status) : `Connected to ${address}`;
  find("server").className = error ? "problem" : "";
}

function explain(error, status) {
  if (status === 401) return "The server needs an API key: set it in the options.";
  return status ? `The server refused: ${error}` : error;
}

async function showSite() {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const site = await chrome.tabs.sendMessage(tab.id, { type: "site" }, { frameId: 0 }).catch(() => null);
  find("nowhere").hidden = Boolean(site);
  find("switch").hidden = !site;
  if (!site) return;
  const { off } = await readSettings();
  find("site").textContent = site;
  find("on").checked = !off.includes(site);
  find("on").addEventListener("change", async ({ target }) => {
    await switchSite(site, target.checked);
    await chrome.tabs.sendMessage(tab.id, { type: "switched", on: target.checked }).catch(() => {});
  });
}

find("options").addEventListener("click", () => chrome.runtime.openOptionsPage());
find("allow").addEventListener("click", () => chrome.permissions.request(ORIGINS).then(showServer));
void showServer();
void showSite();
