import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { EditorView } from "@codemirror/view";
import { announce, toast } from "./announcer";
import { createActions, describe } from "./actions";
import { Cards, uncheckedMessage } from "./cards";
import { Checker, type Status } from "./checker";
import { Decoding } from "./decoding";
import { connectDictionary } from "./dictionary";
import { accept, createEditor, goTo, nextFrom, replaceAll } from "./editor";
import { count, find } from "./elements";
import { EXAMPLE } from "./example";
import { activeOf, type Findings, findingsOf, setThreshold } from "./findings";
import { setKindNames, nameOf } from "./kinds";
import { languageOptions, countWords, languageOf } from "./languages";
import { info, type Info, setKey } from "./server";
import { loadValue, saveValue } from "./storage";
import { applyTheme, connectThemeButton } from "./theme";

const SAVE_PAUSE = 300;
const ANNOUNCE_PAUSE = 1500;
/** Milliseconds after which a running check is shown. */
const QUICK = 400;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

applyTheme();
document.addEventListener("DOMContentLoaded", start);

function start(): void {
  const view = createEditor(find("editor"), loadValue("text") ?? "", keys(), [
    EditorView.updateListener.of(follow),
    EditorView.scrollMargins.of(() => ({ bottom: decoding.height })),
  ]);
  const checker = new Checker(view, report);
  const recheck = () => checker.checkNow();
  const actions = createActions(view, recheck);
  const cards = new Cards(view, actions);
  const decoding = new Decoding(view);
  let saving: ReturnType<typeof setTimeout> | undefined;
  let announcing: ReturnType<typeof setTimeout> | undefined;
  let announced = "No suggestions.";

  function keys() {
    const step = (direction: 1 | -1) => (): boolean => {
      const next = nextFrom(view.state, direction);
      if (next) goTo(view, next);
      announceActive("No suggestions.");
      return true;
    };
    return [
      { key: "Alt-ArrowDown", run: step(1) },
      { key: "Alt-ArrowUp", run: step(-1) },
      {
        key: "Alt-Enter",
        run: () => {
          const active = activeOf(view.state);
          if (active) actions[0]!.run(active);
          else announce("No suggestion here. Press Alt and Down to go to the next one.");
          return true;
        },
      },
      { key: "Alt-Shift-Enter", run: () => (acceptAll(), true) },
      { key: "Mod-.", run: () => (cards.focus(), true) },
      { key: "Mod-/", run: () => (decoding.toggle(), true) },
    ];
  }

  function follow(update: { docChanged: boolean; selectionSet: boolean }): void {
    if (update.docChanged) {
      checker.scheduleCheck();
      clearTimeout(saving);
      saving = setTimeout(save, SAVE_PAUSE);
      showWords(view);
      find<HTMLButtonElement>("undo").disabled = !undoDepth(view.state);
      find<HTMLButtonElement>("redo").disabled = !redoDepth(view.state);
    }
    cards.update();
    if (update.selectionSet) decoding.update();
  }

  function save(): void {
    const text = view.state.doc.toString();
    if (!saveValue("text", text || null)) find("kept").textContent = "This browser refuses to store the text; a reload loses it.";
  }

  function report(status: Status): void {
    showStatus(status);
    cards.report(status);
    if (status.is !== "checked" && status.is !== "empty") return;
    decoding.update();
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      const { shown, sentences } = findingsOf(view.state);
      const number = shown.length;
      const message = [number ? `${count(number, "suggestion")}.` : "No suggestions.", uncheckedMessage(sentences)]
        .join(" ")
        .trim();
      if (message !== announced) announce(message);
      announced = message;
    }, ANNOUNCE_PAUSE);
  }

  function announceActive(otherwise: string): void {
    const active = activeOf(view.state);
    const { shown } = findingsOf(view.state);
    if (!active) return announce(otherwise);
    announce(
      `${shown.indexOf(active) + 1} of ${shown.length}. ${nameOf(active.kind)}: ${describe(active)}. ${active.explanation}`,
    );
  }

  function acceptAll(): void {
    const { shown } = findingsOf(view.state);
    if (!shown.length) return;
    accept(view, shown);
    toast(`Accepted ${count(shown.length, "suggestion")}.`, { name: "Undo", run: () => void undo(view) });
  }

  function connectTools(): void {
    const click = (id: string, run: () => void) => find(id).addEventListener("click", run);
    const undoAction = { name: "Undo", run: () => void undo(view) };
    click("accept-all", acceptAll);
    click("undo", () => void undo(view));
    click("redo", () => void redo(view));
    click("copy", () => void copy(view));
    click("example", () => {
      const had = view.state.doc.length > 0;
      replaceAll(view, EXAMPLE);
      if (had) toast("Your text was replaced by the example.", undoAction);
    });
    click("clear", () => {
      replaceAll(view, "");
      clearTimeout(saving);
      saveValue("text", null);
      toast("Text and stored copy deleted. You can undo this until you leave the page.", undoAction);
      view.focus();
    });
  }

  /** Until the slider is moved, each model's own threshold applies. */
  function connectThreshold(standard: number, byLanguage: Info["thresholds"]): void {
    const slider = find<HTMLInputElement>("threshold");
    const show = (description: string, threshold: Findings["threshold"]) => {
      slider.setAttribute("aria-valuetext", description);
      find("threshold-value").textContent = description;
      view.dispatch({ effects: setThreshold.of(threshold) });
    };
    const choose = () => {
      const percent = Number(slider.value);
      show(percent ? `${percent}%` : "0% (all suggestions)", () => percent / 100);
    };
    slider.value = loadValue("threshold") ?? String(Math.round(standard * 100));
    slider.oninput = () => {
      saveValue("threshold", slider.value);
      choose();
    };
    if (loadValue("threshold") === null && new Set(Object.values(byLanguage)).size > 1) {
      show("set by each model", (sentence) => byLanguage[languageOf(sentence)] ?? standard);
    } else choose();
  }

  function connectLanguages({ languages }: Info): void {
    const select = find<HTMLSelectElement>("language");
    for (const { code, name } of languageOptions(languages)) {
      if (![...select.options].some(({ value }) => value === code)) select.add(new Option(name, code));
    }
    select.value = loadValue("language") ?? "auto";
    if (!select.value) select.value = "auto";
    checker.language = select.value;
    select.onchange = () => {
      saveValue("language", select.value);
      checker.language = select.value;
      checker.checkNow();
    };
  }

  /** Loads the server's description, again and again if the server is not reachable. */
  async function loadInfo(): Promise<void> {
    try {
      const about = await info();
      setKindNames(about.kinds);
      connectThreshold(about.threshold, about.thresholds);
      connectLanguages(about);
      const own = about.languages.filter((code) => !code.includes("-"));
      find("about").textContent = `Redraft ${about.version}, ${own.length > 1 ? "models" : "model"} ${[
        about.model.name,
        ...own.slice(1),
      ].join(", ")}`;
      cards.update();
    } catch {
      setTimeout(() => void loadInfo(), 2000);
    }
  }

  connectThemeButton(find<HTMLButtonElement>("theme"));
  connectTools();
  connectDictionary(recheck);
  connectThreshold(0.5, {});
  find("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    setKey(find<HTMLInputElement>("key").value);
    checker.checkNow();
  });
  addEventListener("pagehide", save);
  showDestination();
  if (/Mac|iP/.test(navigator.platform)) labelKeys({ alt: "⌥", mod: "⌘" });
  showWords(view);
  cards.update();
  void loadInfo().then(() => checker.checkNow());
  if (matchMedia("(pointer: fine)").matches) view.focus();
}

function showWords(view: EditorView): void {
  const text = view.state.doc.toString();
  find("words-count").textContent = count(countWords(text), "word");
  view.contentDOM.lang = languageOf(text);
}

let slow: ReturnType<typeof setTimeout> | undefined;

function showStatus(status: Status): void {
  const state = find("state");
  document.body.dataset["status"] = status.is;
  if (status.is !== "checking") {
    clearTimeout(slow);
    slow = undefined;
    find("notice").hidden = status.is === "checked" || status.is === "empty";
    find("key-form").hidden = status.is !== "key-required";
  }
  switch (status.is) {
    case "checking":
      if (status.sentences) find("sentences-count").textContent = count(status.sentences, "sentence");
      slow ??= setTimeout(() => (state.textContent = "Checking…"), QUICK);
      break;
    case "checked": {
      const { milliseconds, calls } = status.done;
      find("sentences-count").textContent = count(status.sentences, "sentence");
      state.textContent = `Checked in ${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms, ${count(calls, "decoder call")}`;
      break;
    }
    case "empty":
      find("sentences-count").textContent = count(0, "sentence");
      state.textContent = "No text";
      break;
    case "unreachable":
      state.textContent = "Not checked";
      warn("Redraft does not answer. Is “redraft serve” running? Your text is kept, and the page keeps trying.");
      break;
    case "key-required":
      state.textContent = "Not checked";
      warn("This server requires an API key.");
      break;
    case "refused":
      state.textContent = "Not checked";
      warn(`The text could not be checked: ${status.message}.`);
  }
}

/** Sets the text only if it differs: a screen reader would repeat the warning with every retry. */
function warn(message: string): void {
  const place = find("notice-text");
  if (place.textContent !== message) place.textContent = message;
}

function showDestination(): void {
  const local = LOOPBACK.includes(location.hostname);
  find("destination").textContent = local
    ? "Your text stays on this machine."
    : `Your text is sent to ${location.hostname} and nowhere else.`;
}

function labelKeys(names: Record<string, string>): void {
  for (const [role, name] of Object.entries(names)) {
    for (const key of document.querySelectorAll(`kbd.${role}`)) key.textContent = name;
  }
}

async function copy(view: EditorView): Promise<void> {
  const text = view.state.doc.toString();
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  } catch {
    // Pages without HTTPS have no clipboard API.
    view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    view.focus();
    toast(document.execCommand("copy") ? "Copied." : "Your browser does not allow copying. The text is selected.");
  }
}
