/** The card of a finding: explanation, replacements, Ignore once, Add to dictionary. */

const ONE_WORD = /^\S{1,100}$/u;
const GAP = 6;

class Card {
  /** `actions` has the functions accept(finding, replacement), ignore, addWord, loadAlternatives and leave. */
  constructor(overlay, actions) {
    this.overlay = overlay;
    this.actions = actions;
    this.finding = null;
    this.element = make("div", "card", { role: "dialog", hidden: true });
    overlay.root.append(this.element);
    // Clicks leave the focus in the field.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      actions.leave();
    });
  }

  get hasFocus() {
    return this.element.contains(this.overlay.root.activeElement);
  }

  focus() {
    this.element.querySelector("button").focus();
  }

  show(finding) {
    this.finding = finding;
    const { source, replacement, kind, explanation, certain } = finding;
    const replacements = make("div", "row", {}, this.replacementButton(replacement, "button main"));
    this.message = make("p", "message", { role: "status", hidden: true });
    const quiet = make("div", "row second-row", {}, this.button("Ignore once", () => this.actions.ignore(finding), "button quiet"));
    if (kind === "spelling" && ONE_WORD.test(source.trim())) {
      quiet.append(this.button("Add to dictionary", () => this.actions.addWord(finding), "button quiet"));
    }
    const close = this.button("×", () => this.actions.leave(), "button quiet close");
    close.ariaLabel = "Close";
    this.element.replaceChildren(
      make("p", "kind", {}, certain ? nameOf(kind) : `Possible error: ${nameOf(kind).toLowerCase()}`),
      make("p", "change", {}, ...describeChange(source, replacement)),
      make("p", "explanation", {}, explanation),
      replacements, quiet, this.message, close,
    );
    this.element.ariaLabel = `Suggestion: ${source.trim() || "missing"} → ${replacement.trim() || "nothing"}`;
    this.element.hidden = false;
    this.actions.loadAlternatives(finding).then((others) => {
      if (this.finding !== finding) return;
      replacements.append(...others.map((other) => this.replacementButton(other, "button")));
      this.place();
    });
  }

  hide() {
    this.finding = null;
    this.element.hidden = true;
  }

  say(message) {
    this.message.textContent = message;
    this.message.hidden = false;
    this.place();
  }

  /** Puts the card below its words, or above them if there is more room. */
  place() {
    const [first] = this.finding?.rectangles ?? [];
    if (!first) return;
    const { offsetWidth: width, offsetHeight: height, style } = this.element;
    const isBelow = first.bottom + GAP + height <= innerHeight || first.top < innerHeight - first.bottom;
    const top = isBelow ? first.bottom + GAP : first.top - GAP - height;
    style.left = `${Math.max(8, Math.min(first.left - 8, innerWidth - width - 8))}px`;
    style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
  }

  replacementButton(replacement, parts) {
    const { finding } = this;
    const name = replacement.trim() || `Remove “${finding.source.trim() || finding.source}”`;
    return this.button(name, () => this.actions.accept(finding, replacement), parts);
  }

  button(name, run, parts) {
    const button = make("button", parts, { type: "button" }, name);
    // Only a person's click or key counts: the page's scripts could click here too.
    button.addEventListener("click", (event) => event.isTrusted && run());
    return button;
  }
}

/** An element with the parts by which the style sheet knows it. */
function make(tag, parts, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.setAttribute("part", parts);
  element.append(...children);
  return element;
}

function nameOf(kind) {
  return kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("-", " ");
}

function describeChange(source, replacement) {
  const [from, to] = [source.trim() || source, replacement.trim() || replacement].map((text) => text.replace(/^\s+$/, "␣"));
  if (!from) return ["Add ", make("ins", "inserted", {}, to)];
  if (!to) return ["Remove ", make("del", "deleted", {}, from)];
  return [make("del", "deleted", {}, from), " → ", make("ins", "inserted", {}, to)];
}
