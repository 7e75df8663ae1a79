/** The text of a content-editable element, and where each of its characters is in the document. */

const NO_PROSE = new Set(
  "AUDIO BUTTON CANVAS IFRAME INPUT MATH NOSCRIPT OBJECT PRE SCRIPT SELECT STYLE TEMPLATE TEXTAREA VIDEO svg".split(" "),
);
const FIXED_INLINE = new Set(["CODE", "KBD", "SAMP", "TT"]);
const COLLAPSED = /[ \t\n\r\f]/;
/** Characters without width, which rich editors put in as place holders. */
const INVISIBLE = /[\u200b\u2060\ufeff]/;

class EditableText {
  constructor(root) {
    this.units = [];
    /** For each UTF-16 unit: the text node it is in, or null where nothing may be edited. */
    this.nodes = [];
    this.offsets = [];
    this.visit(root, false);
    this.trim();
    this.text = this.units.join("");
  }

  visit(element, isFixed) {
    const { display, visibility, whiteSpace } = getComputedStyle(element);
    if (display === "none" || visibility === "hidden") return;
    const isBlock = !display.startsWith("inline") && display !== "contents";
    if (isBlock) this.separate();
    const isPreserved = /^(pre|break-spaces)/.test(whiteSpace);
    if (!NO_PROSE.has(element.tagName)) {
      for (const child of element.childNodes) {
        if (child instanceof Text) this.add(child, isPreserved, isFixed);
        else if (child instanceof HTMLBRElement) this.push("\n", null, 0);
        else if (child instanceof Element) this.visit(child, isFixed || isFixedElement(child));
      }
    }
    if (isBlock) this.separate();
  }

  add(node, isPreserved, isFixed) {
    const { data } = node;
    for (let offset = 0; offset < data.length; offset++) {
      let unit = data[offset];
      if (INVISIBLE.test(unit)) continue;
      if (!isPreserved && COLLAPSED.test(unit)) {
        if (/^$|\s/.test(this.units.at(-1) ?? "")) continue;
        unit = " ";
      }
      this.push(unit === "\u00a0" ? " " : unit, isFixed ? null : node, offset);
    }
  }

  push(unit, node, offset) {
    this.units.push(unit);
    this.nodes.push(node);
    this.offsets.push(offset);
  }

  /** Ends a paragraph: an empty line, so that no sentence goes on across it. */
  separate() {
    this.trim();
    if (this.units.length) for (let n = 0; n < 2; n++) this.push("\n", null, 0);
  }

  trim() {
    while (/[ \n]/.test(this.units.at(-1) ?? "")) for (const list of [this.units, this.nodes, this.offsets]) list.pop();
  }

  /** Whether a span is in text that may be edited. */
  isEditable(start, end) {
    if (start === end) return this.point(start) !== null;
    return this.nodes.slice(start, end).every((node) => node !== null);
  }

  /** The place of an insertion: behind the character before it, or else before the one after it. */
  point(at) {
    if (this.nodes[at - 1]) return { node: this.nodes[at - 1], offset: this.offsets[at - 1] + 1 };
    return this.nodes[at] ? { node: this.nodes[at], offset: this.offsets[at] } : null;
  }

  /** One range over a span. */
  range(start, end) {
    const range = document.createRange();
    const from = start === end ? this.point(start) : { node: this.nodes[start], offset: this.offsets[start] };
    range.setStart(from.node, from.offset);
    if (start === end) range.collapse(true);
    else range.setEnd(this.nodes[end - 1], this.offsets[end - 1] + 1);
    return range;
  }

  /** A range for each text node in a span: the rectangles of these are of text alone, not of the elements around it. */
  textRanges(start, end) {
    const ranges = [];
    for (let at = start; at < end; at++) {
      const node = this.nodes[at];
      if (!node?.isConnected || this.offsets[at] >= node.length) continue;
      const last = ranges.at(-1);
      if (last?.endContainer === node) last.setEnd(node, this.offsets[at] + 1);
      else ranges.push(this.range(at, at + 1));
    }
    return ranges;
  }

  /** The offset of a place in the document; null if it is not in the text. */
  offsetOf(node, offset) {
    const first = this.nodes.indexOf(node);
    if (first < 0) return null;
    let at = first;
    while (this.nodes[at] === node && this.offsets[at] < offset) at++;
    return at;
  }
}

function isFixedElement(element) {
  return FIXED_INLINE.has(element.tagName) || !element.isContentEditable;
}
