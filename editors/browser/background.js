/** Answers the content scripts and the popup: all requests to the server are sent from here. */
import { addWord, alternatives, check, ignoreOnce, probe } from "./server.js";
import { protectSettings, readSettings } from "./settings.js";

/** The running check of each frame: a newer one cancels it. */
const running = new Map();

function checkLatest({ text }, { tab, frameId }) {
  const frame = `${tab?.id}:${frameId}`;
  running.get(frame)?.abort();
  const control = new AbortController();
  running.set(frame, control);
  return check(text, control.signal).finally(() => {
    if (running.get(frame) === control) running.delete(frame);
  });
}

/** Whether the extension is on for the page in a tab. The page counts, not the frames in it, which can be of other sites. */
async function isOn(_, { tab }) {
  const site = await chrome.tabs.sendMessage(tab.id, { type: "site" }, { frameId: 0 }).catch(() => "");
  return !(await readSettings()).off.includes(site);
}

const ANSWERS = {
  "is-on": isOn,
  check: checkLatest,
  alternatives: ({ finding }) => alternatives(finding),
  "ignore-once": ({ finding }) => ignoreOnce(finding),
  "add-word": ({ word }) => addWord(word),
  probe,
};

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  const answer = ANSWERS[message.type];
  if (!answer || sender.id !== chrome.runtime.id) return false;
  Promise.resolve(answer(message, sender)).then(
    (value) => respond({ value: value ?? null }),
    (error) => respond({ error: error.message, status: error.status ?? 0 }),
  );
  return true; // the response comes later
});

chrome.commands.onCommand.addListener((command, tab) => {
  if (tab?.id !== undefined) chrome.tabs.sendMessage(tab.id, { type: command }).catch(() => {});
});

protectSettings();
