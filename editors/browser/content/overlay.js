/** A layer over the page that holds underlines and cards. It is outside the page's body and takes no clicks but on a card. */

const LAYER_STYLE = {
  all: "initial", position: "fixed", inset: "0", width: "100%", height: "100%", "max-width": "none", "max-height": "none",
  margin: "0", padding: "0", border: "0", background: "none", overflow: "hidden", "pointer-events": "none",
  "color-scheme": "light dark",
};
/** Events of the card that the page must not see: it would take them for clicks and keys outside its own dialogs. */
const OWN_EVENTS = ["mousedown", "mouseup", "pointerdown", "pointerup", "click", "keydown", "keyup", "keypress", "focusin", "focusout"];

class Overlay {
  constructor() {
    this.host = document.createElement("redraft-overlay");
    for (const [name, value] of Object.entries(LAYER_STYLE)) this.host.style.setProperty(name, value, "important");
    this.root = this.host.attachShadow({ mode: "open" });
    this.lines = document.createElement("div");
    this.lines.setAttribute("aria-hidden", "true");
    this.root.append(this.lines);
    for (const type of OWN_EVENTS) this.root.addEventListener(type, (event) => event.stopPropagation());
  }

  /** Shows the layer above the field, also if that is in a modal dialog: all outside of one cannot be clicked. */
  open(field) {
    const parent = field.closest("dialog:modal") ?? document.documentElement;
    this.host.popover = "manual";
    parent.append(this.host);
    this.host.style.setProperty("display", "block", "important");
    this.host.showPopover?.();
  }

  close() {
    this.host.remove();
  }

  /** Draws the underlines of findings, each with `rectangles`, as far as they are inside `visible`. */
  draw(findings, visible, active) {
    const marks = [];
    for (const finding of findings) {
      for (const rectangle of finding.rectangles) {
        const box = intersect(rectangle, visible);
        if (box.right - box.left < 1 || rectangle.bottom > visible.bottom + 2 || rectangle.bottom < visible.top) continue;
        if (finding === active && box.bottom > box.top) marks.push(mark("active", box.left, box.top, box.right, box.bottom));
        marks.push(mark(partsOf(finding), box.left, rectangle.bottom - 1, box.right));
      }
    }
    this.lines.replaceChildren(...marks);
  }
}

function partsOf({ kind, certain }) {
  if (!certain) return "underline possible";
  return kind === "spelling" ? "underline wavy" : "underline";
}

function mark(parts, left, top, right, bottom) {
  const element = document.createElement("div");
  element.setAttribute("part", parts);
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
  element.style.width = `${right - left}px`;
  if (bottom !== undefined) element.style.height = `${bottom - top}px`;
  return element;
}
