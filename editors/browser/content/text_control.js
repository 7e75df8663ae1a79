/** A text area or a text input. A hidden copy of its text, with the same layout, says where its words are. */

const COPIED_STYLES = [
  "direction", "fontFamily", "fontFeatureSettings", "fontKerning", "fontSize", "fontStretch", "fontStyle", "fontVariant",
  "fontWeight", "hyphens", "letterSpacing", "lineBreak", "lineHeight", "overflowWrap", "paddingBottom", "paddingLeft",
  "paddingRight", "paddingTop", "tabSize", "textAlign", "textIndent", "textTransform", "wordBreak", "wordSpacing",
];

class TextControl {
  constructor(element, overlay) {
    this.element = element;
    this.isArea = element instanceof HTMLTextAreaElement;
    this.mirror = document.createElement("div");
    this.mirror.setAttribute("part", "mirror");
    this.mirror.append((this.line = document.createElement("div")));
    this.line.append((this.node = document.createTextNode("")));
    overlay.root.append(this.mirror);
  }

  close() {
    this.mirror.remove();
  }

  read() {
    return this.element.value;
  }

  get caret() {
    return this.element.selectionEnd;
  }

  /** All that decides where words are in the viewport, to find out whether they have moved. */
  get geometry() {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    return [left, top, width, height, this.element.scrollLeft, this.element.scrollTop].join();
  }

  /** Brings the copy up to date. */
  measure() {
    const { element, mirror, line, node } = this;
    const from = getComputedStyle(element);
    const { style } = mirror;
    for (const name of COPIED_STYLES) style[name] = from[name];
    style.whiteSpace = this.isArea ? from.whiteSpace : "pre";
    const { left, top, scale } = innerBox(element);
    style.left = `${left}px`;
    style.top = `${top}px`;
    style.width = `${element.clientWidth}px`;
    style.height = this.isArea ? "auto" : `${element.clientHeight}px`;
    style.display = this.isArea ? "block" : "flex";
    style.transform = `scale(${scale})`;
    line.style.transform = `translate(${-element.scrollLeft}px, ${-element.scrollTop}px)`;
    if (node.data !== element.value) node.data = element.value;
  }

  rectangles(start, end) {
    const range = document.createRange();
    range.setStart(this.node, Math.min(start, this.node.length));
    range.setEnd(this.node, Math.min(end, this.node.length));
    return [...range.getClientRects()];
  }

  isEditable() {
    return true;
  }

  /** Replaces a part of the text so that the browser's undo takes it back. False if the text is not the expected one. */
  async replace(start, end, expected, replacement) {
    const { element } = this;
    if (element.value.slice(start, end) !== expected) return false;
    element.focus();
    element.setSelectionRange(start, end);
    const isDone = replacement ? document.execCommand("insertText", false, replacement) : document.execCommand("delete");
    if (!isDone) {
      element.setRangeText(replacement, start, end, "end");
      element.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertReplacementText" }));
    }
    return true;
  }
}
