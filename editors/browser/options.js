/** The options page: address and key of the server, and the sites that are switched off. */
import { readSettings, switchSite, writeServer } from "./settings.js";

const find = (id) => document.getElementById(id);

async function show() {
  const { address, key, off } = await readSettings();
  find("address").value = address;
  find("key").value = key;
  find("none").hidden = off.length > 0;
  find("off").replaceChildren(...off.map(siteItem));
}

function siteItem(site) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = "Check again";
  button.ariaLabel = `Check ${site} again`;
  button.addEventListener("click", () => switchSite(site, true).then(show));
  item.append(`${site} `, button);
  return item;
}

async function save() {
  await writeServer(find("address").value, find("key").value);
  await show();
  const { error } = await chrome.runtime.sendMessage({ type: "probe" });
  return error ? `Saved. ${error}` : "Saved. The server answers.";
}

find("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  find("message").textContent = await save().catch((error) => error.message);
});
void show();
