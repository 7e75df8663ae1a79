import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { EditorView } from "@codemirror/view";
import { announce, toast } from "./announcer";
import { Cards } from "./cards";
import { Checker, type Condition } from "./checker";
import { describe, makeChoices } from "./choices";
import { Decoding } from "./decoding";
import { accept, createEditor, goTo, nextFrom, replaceAll } from "./editor";
import { count, find } from "./elements";
import { EXAMPLE } from "./example";
import { activeOf, type Findings, findingsOf, setLeast } from "./findings";
import { learnNames, nameOf } from "./kinds";
import { choicesOf, countWords, languageOf } from "./languages";
import { recall, remember } from "./memory";
import { info, type Info, useKey } from "./server";
import { applyTheme, connectThemeButton } from "./theme";
import { connectVocabulary } from "./vocabulary";

const SAVE_PAUSE = 300;
const ANNOUNCE_PAUSE = 1500;
/** Checks that take no longer are not spoken of while they run. */
const QUICK = 400;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

applyTheme();
document.addEventListener("DOMContentLoaded", start);

function start(): void {
  const view = createEditor(find("editor"), recall("text") ?? "", keys(), [
    EditorView.updateListener.of(follow),
    EditorView.scrollMargins.of(() => ({ bottom: decoding.height })),
  ]);
  const checker = new Checker(view, report);
  const recheck = () => checker.now();
  const choices = makeChoices(view, recheck);
  const cards = new Cards(view, choices);
  const decoding = new Decoding(view);
  let saving: ReturnType<typeof setTimeout> | undefined;
  let telling: ReturnType<typeof setTimeout> | undefined;
  let told = 0;

  function keys() {
    const step = (direction: 1 | -1) => (): boolean => {
      const next = nextFrom(view.state, direction);
      if (next) goTo(view, next);
      tellActive("No suggestions.");
      return true;
    };
    return [
      { key: "Alt-ArrowDown", run: step(1) },
      { key: "Alt-ArrowUp", run: step(-1) },
      {
        key: "Alt-Enter",
        run: () => {
          const active = activeOf(view.state);
          if (active) choices[0]!.run(active);
          else announce("No suggestion here. Alt and Down go to the next one.");
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
      checker.touch();
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
    if (!remember("text", text || null)) find("kept").textContent = "This browser keeps no copy; a reload loses the text.";
  }

  function report(condition: Condition): void {
    showCondition(condition);
    if (condition.is !== "checked" && condition.is !== "empty") return;
    decoding.update();
    clearTimeout(telling);
    telling = setTimeout(() => {
      const number = findingsOf(view.state).shown.length;
      if (number !== told) announce(number ? count(number, "suggestion") : "No suggestions.");
      told = number;
    }, ANNOUNCE_PAUSE);
  }

  function tellActive(otherwise: string): void {
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
    const takeBack = { name: "Undo", run: () => void undo(view) };
    click("accept-all", acceptAll);
    click("undo", () => void undo(view));
    click("redo", () => void redo(view));
    click("copy", () => void copy(view));
    click("example", () => {
      const had = view.state.doc.length > 0;
      replaceAll(view, EXAMPLE);
      if (had) toast("The example is in place of your text.", takeBack);
    });
    click("forget", () => {
      replaceAll(view, "");
      clearTimeout(saving);
      remember("text", null);
      toast("Forgotten. Until you leave the page it can be undone.", takeBack);
      view.focus();
    });
  }

  /** Until someone moves the slider, each model hides what it advises to hide. */
  function connectPrecision(standard: number, byLanguage: Info["thresholds"]): void {
    const slider = find<HTMLInputElement>("precision");
    const show = (said: string, least: Findings["least"]) => {
      slider.setAttribute("aria-valuetext", said);
      find("precision-value").textContent = said;
      view.dispatch({ effects: setLeast.of(least) });
    };
    const choose = () => {
      const percent = Number(slider.value);
      show(percent ? `at least ${percent}% sure` : "every suggestion", () => percent / 100);
    };
    slider.value = recall("precision") ?? String(Math.round(standard * 100));
    slider.oninput = () => {
      remember("precision", slider.value);
      choose();
    };
    if (recall("precision") === null && new Set(Object.values(byLanguage)).size > 1) {
      show("as each model advises", (sentence) => byLanguage[languageOf(sentence)] ?? standard);
    } else choose();
  }

  function connectLanguages({ languages }: Info): void {
    const select = find<HTMLSelectElement>("language");
    for (const { code, name } of choicesOf(languages)) {
      if (![...select.options].some(({ value }) => value === code)) select.add(new Option(name, code));
    }
    select.value = recall("language") ?? "auto";
    if (!select.value) select.value = "auto";
    checker.language = select.value;
    select.onchange = () => {
      remember("language", select.value);
      checker.language = select.value;
      checker.now();
    };
  }

  /** What the server is does not change while it runs, but it may be away at first. */
  async function introduce(): Promise<void> {
    try {
      const about = await info();
      learnNames(about.kinds);
      connectPrecision(about.threshold, about.thresholds);
      connectLanguages(about);
      const own = about.languages.filter((code) => !code.includes("-"));
      find("about").textContent = `Redraft ${about.version}, ${own.length > 1 ? "models" : "model"} ${[
        about.model.name,
        ...own.slice(1),
      ].join(", ")}`;
      cards.update();
    } catch {
      setTimeout(() => void introduce(), 2000);
    }
  }

  connectThemeButton(find<HTMLButtonElement>("theme"));
  connectTools();
  connectVocabulary(recheck);
  connectPrecision(0.5, {});
  find("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    useKey(find<HTMLInputElement>("key").value);
    checker.now();
  });
  addEventListener("pagehide", save);
  showPlace();
  if (/Mac|iP/.test(navigator.platform)) nameKeys({ alt: "⌥", mod: "⌘" });
  showWords(view);
  cards.update();
  void introduce().then(() => checker.now());
  if (matchMedia("(pointer: fine)").matches) view.focus();
}

function showWords(view: EditorView): void {
  const text = view.state.doc.toString();
  find("words-count").textContent = count(countWords(text), "word");
  view.contentDOM.lang = languageOf(text);
}

let slow: ReturnType<typeof setTimeout> | undefined;

function showCondition(condition: Condition): void {
  const state = find("state");
  document.body.dataset["condition"] = condition.is;
  if (condition.is !== "checking") {
    clearTimeout(slow);
    slow = undefined;
    find("notice").hidden = condition.is === "checked" || condition.is === "empty";
    find("key-form").hidden = condition.is !== "locked";
  }
  switch (condition.is) {
    case "checking":
      if (condition.sentences) find("sentences-count").textContent = count(condition.sentences, "sentence");
      slow ??= setTimeout(() => (state.textContent = "Checking…"), QUICK);
      break;
    case "checked": {
      const { milliseconds, calls } = condition.done;
      find("sentences-count").textContent = count(condition.sentences, "sentence");
      state.textContent = `Checked in ${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms, ${count(calls, "decoder call")}`;
      break;
    }
    case "empty":
      find("sentences-count").textContent = count(0, "sentence");
      state.textContent = "Nothing to check";
      break;
    case "away":
      state.textContent = "Not checked";
      warn("Redraft does not answer. Is “redraft serve” running? Your text is safe here; the page tries again by itself.");
      break;
    case "locked":
      state.textContent = "Not checked";
      warn("This server wants its API key.");
      break;
    case "refused":
      state.textContent = "Not checked";
      warn(`The text could not be checked: ${condition.message}.`);
  }
}

/** Those who listen hear a warning once, however often the page tries again. */
function warn(message: string): void {
  const place = find("notice-text");
  if (place.textContent !== message) place.textContent = message;
}

function showPlace(): void {
  const local = LOOPBACK.includes(location.hostname);
  find("place").textContent = local
    ? "Your text stays on this machine."
    : `Your text goes to ${location.hostname} and nowhere else.`;
}

function nameKeys(names: Record<string, string>): void {
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
    // Pages that do not come over a safe connection have no clipboard; selecting all is next best.
    view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    view.focus();
    toast(document.execCommand("copy") ? "Copied." : "Your browser does not allow copying; the text is selected.");
  }
}
