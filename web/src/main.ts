import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { EditorView, type ViewUpdate } from "@codemirror/view";
import { announce } from "./announcer";
import { Alternatives } from "./alternatives";
import { createActions, describe } from "./actions";
import { Cards, uncheckedMessage } from "./cards";
import { Checker, type Status } from "./checker";
import { copyText } from "./clipboard";
import { Decoding } from "./decoding";
import { connectDictionary } from "./dictionary";
import { accept, createEditor, goTo, nextFrom, replaceAll } from "./editor";
import { count, find } from "./elements";
import { EXAMPLE } from "./example";
import { activeOf, findingsOf, ignorePlaces, unignorePlaces } from "./findings";
import { loadIgnored, saveIgnored } from "./ignored_places";
import { setKindNames, titleOf } from "./kinds";
import { type Labels, labelsOf } from "./labels";
import { languageOptions, countWords, languageOf } from "./languages";
import { Popover } from "./popover";
import { type CheckOptions, info, type Info, setKey } from "./server";
import { connectStatistics } from "./statistics";
import { loadValue, saveValue } from "./storage";
import { applyTheme, connectThemeButton } from "./theme";
import { connectToast, followChange, toast } from "./toast";

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
    EditorView.scrollMargins.of(() => ({ top: toolsBottom(), bottom: decoding.height })),
  ]);
  const checker = new Checker(view, report);
  const recheck = () => checker.checkNow();
  const actions = createActions(view, recheck);
  const alternatives = new Alternatives(view);
  const cards = new Cards(view, actions, () => popover.focus(), toolsBottom);
  const decoding = new Decoding(view);
  const popover = new Popover(view, actions, alternatives, () => cards.focusBack(), () => decoding.height);
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
      {
        key: "Escape",
        run: () => {
          const { isOpen } = popover;
          if (isOpen) popover.close();
          return isOpen;
        },
      },
      { key: "Mod-.", run: () => (cards.focus(), true) },
      { key: "Mod-/", run: () => (decoding.toggle(), true) },
    ];
  }

  function follow(update: ViewUpdate): void {
    if (update.docChanged) {
      followChange(update.changes);
      checker.scheduleCheck();
      clearTimeout(saving);
      saving = setTimeout(save, SAVE_PAUSE);
      showWords(view);
      find<HTMLButtonElement>("undo").disabled = !undoDepth(view.state);
      find<HTMLButtonElement>("redo").disabled = !redoDepth(view.state);
    }
    cards.update();
    popover.update();
    if (update.selectionSet) decoding.update();
  }

  function save(): void {
    const text = view.state.doc.toString();
    saveIgnored(findingsOf(view.state).ignored);
    if (!saveValue("text", text || null)) find("kept").textContent = "This browser refuses to store the text; a reload loses it.";
  }

  function report(status: Status): void {
    showStatus(status, labelsOf(view.state));
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
      `${shown.indexOf(active) + 1} of ${shown.length}. ${titleOf(active)}: ${describe(active)}. ${active.explanation}`,
    );
  }

  function acceptAll(): void {
    const certain = findingsOf(view.state).shown.filter((suggestion) => suggestion.certain);
    if (!certain.length) return;
    const done = accept(view, certain);
    toast(`Accepted ${count(certain.length, "suggestion")}.`, done);
  }

  function connectTools(): void {
    const click = (id: string, run: () => void) => find(id).addEventListener("click", run);
    click("accept-all", acceptAll);
    click("undo", () => void undo(view));
    click("redo", () => void redo(view));
    click("copy", () => void copy(view));
    click("example", () => {
      const had = view.state.doc.length > 0;
      const done = replaceAll(view, EXAMPLE);
      if (had) toast("Your text was replaced by the example.", done);
    });
    click("clear", () => {
      const done = replaceAll(view, "");
      clearTimeout(saving);
      saveValue("text", null);
      saveIgnored([]);
      toast("Text and stored copy deleted.", done);
      view.focus();
    });
  }

  function setOptions(options: Partial<CheckOptions>): void {
    checker.options = alternatives.options = { ...checker.options, ...options };
  }

  /** Until the slider is moved, each model's own threshold applies. */
  function connectThreshold(standard: number, byLanguage: Info["thresholds"]): void {
    const slider = find<HTMLInputElement>("threshold");
    const show = (description: string) => {
      slider.setAttribute("aria-valuetext", description);
      find("threshold-value").textContent = description;
    };
    const showChosen = () => show(Number(slider.value) ? `${slider.value}%` : "0% (all suggestions)");
    const choose = () => setOptions({ threshold: Number(slider.value) / 100 });
    const stored = loadValue("threshold");
    slider.value = stored ?? String(Math.round(standard * 100));
    slider.oninput = showChosen;
    slider.onchange = () => {
      saveValue("threshold", slider.value);
      choose();
      checker.checkNow();
    };
    if (stored !== null) choose();
    if (stored === null && new Set(Object.values(byLanguage)).size > 1) show("set by each model");
    else showChosen();
  }

  function connectLanguages({ languages }: Info): void {
    const select = find<HTMLSelectElement>("language");
    for (const { code, name } of languageOptions(languages)) {
      if (![...select.options].some(({ value }) => value === code)) select.add(new Option(name, code));
    }
    select.value = loadValue("language") ?? "auto";
    if (!select.value) select.value = "auto";
    const choose = () => setOptions({ language: select.value });
    choose();
    select.onchange = () => {
      saveValue("language", select.value);
      choose();
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
  connectDictionary(recheck, ({ source, replacement }) => {
    view.dispatch({ effects: unignorePlaces.of((place) => place.source === source && place.replacement === replacement) });
    save();
  });
  connectStatistics(view);
  connectToast((before) => {
    if (before.closest("#cards")) return () => cards.focusBack();
    return () => (before instanceof HTMLElement && before.checkVisibility() ? before.focus() : view.focus());
  });
  view.dispatch({ effects: ignorePlaces.of(loadIgnored(view.state.doc)) });
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

/** The first pixel of the window below the row of buttons, which stays in view. */
function toolsBottom(): number {
  return Math.max(0, find("tools").getBoundingClientRect().bottom);
}

function showWords(view: EditorView): void {
  const text = view.state.doc.toString();
  find("words-count").textContent = labelsOf(view.state).words(countWords(text));
  view.contentDOM.lang = languageOf(text);
}

let slow: ReturnType<typeof setTimeout> | undefined;

function showStatus(status: Status, labels: Labels): void {
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
      if (status.sentences) find("sentences-count").textContent = labels.sentences(status.sentences);
      slow ??= setTimeout(() => (state.textContent = "Checking…"), QUICK);
      break;
    case "checked": {
      const { milliseconds, calls } = status.done;
      find("sentences-count").textContent = labels.sentences(status.sentences);
      state.textContent = `Checked in ${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms, ${count(calls, "decoder call")}`;
      break;
    }
    case "empty":
      find("sentences-count").textContent = labels.sentences(0);
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
  const copied = await copyText(view.state.doc.toString());
  toast(copied ? "Copied." : "Your browser does not allow copying. Select the text and copy it yourself.");
}
