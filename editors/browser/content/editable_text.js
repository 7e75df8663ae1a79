/** The text of a content-editable element, and where each part of it is in the document. */

const NO_PROSE = new Set(
  "AUDIO BUTTON CANVAS IFRAME INPUT MATH NOSCRIPT OBJECT PRE SCRIPT SELECT STYLE TEMPLATE TEXTAREA VIDEO svg".split(" "),
);
const FIXED_INLINE = new Set(["CODE", "KBD", "SAMP", "TT"]);
/** Runs of spaces, and of other characters but those without width, which rich editors put in as place holders. */
const RUNS = /[ \t\n\r\f]+|[^ \t\n\r\f\u200b\u2060\ufeff]+/g;
/** Text without these is shown as it is. */
const UNUSUAL = /[\t\n\r\f\u00a0\u200b\u2060\ufeff]| {2}/;
const SPACES = /^[ \t\n\r\f]/;

class EditableText {
  constructor(root) {
    /** { start, text, node, offset }: text from `start` on is in a text node from `offset` on; no node where nothing may be edited. */
    this.pieces = [];
    this.length = 0;
    this.visit(root, false);
    this.trim();
    this.text = this.pieces.map(({ text }) => text).join("");
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

  /** Adds a text node as it is shown: without characters of no width, and with spaces collapsed unless they are preserved. */
  add(node, isPreserved, isFixed) {
    const { data } = node;
    const owner = isFixed ? null : node;
    if (!UNUSUAL.test(data) && !(data.startsWith(" ") && this.isAtSpace())) return this.push(data, owner, 0);
    for (const { 0: run, index } of data.matchAll(RUNS)) {
      const isCollapsed = !isPreserved && SPACES.test(run);
      if (isCollapsed && this.isAtSpace()) continue;
      this.push(isCollapsed ? " " : run.replaceAll("\u00a0", " "), owner, index);
    }
  }

  isAtSpace() {
    return /^\s?$/.test(this.pieces.at(-1)?.text.at(-1) ?? "");
  }

  push(text, node, offset) {
    if (!text) return;
    const last = this.pieces.at(-1);
    if (node && last?.node === node && last.offset + last.text.length === offset) last.text += text;
    else this.pieces.push({ start: this.length, text, node, offset });
    this.length += text.length;
  }

  /** Ends a paragraph: an empty line, so that no sentence goes on across it. */
  separate() {
    this.trim();
    if (this.length) this.push("\n\n", null, 0);
  }

  trim() {
    for (let last; (last = this.pieces.at(-1)); this.pieces.pop()) {
      last.text = last.text.replace(/[ \n]+$/, "");
      this.length = last.start + last.text.length;
      if (last.text) break;
    }
  }

  /** The pieces that a span touches. */
  piecesOf(start, end) {
    let low = 0;
    for (let high = this.pieces.length; low < high; ) {
      const middle = (low + high) >> 1;
      const { start: from, text } = this.pieces[middle];
      if (from + text.length <= start) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (let at = low; at < this.pieces.length && this.pieces[at].start < end; at++) found.push(this.pieces[at]);
    return found;
  }

  /** Whether a span is in text that may be edited. */
  isEditable(start, end) {
    if (start === end) return this.point(start) !== null;
    return this.piecesOf(start, end).every(({ node }) => node !== null);
  }

  /** The place of an insertion: behind the character before it, or else before the one after it. */
  point(at) {
    const [before] = this.piecesOf(at - 1, at);
    if (before?.node) return { node: before.node, offset: before.offset + at - before.start };
    const [after] = this.piecesOf(at, at + 1);
    return after?.node ? { node: after.node, offset: after.offset + at - after.start } : null;
  }

  /** One range over a span that may be edited. */
  range(start, end) {
    const range = document.createRange();
    const [first] = this.piecesOf(start, end);
    const from = start === end ? this.point(start) : { node: first.node, offset: first.offset + start - first.start };
    range.setStart(from.node, from.offset);
    if (start === end) return range;
    const { node, offset } = this.point(end);
    range.setEnd(node, offset);
    return range;
  }

  /** A range for each piece of a span: the rectangles of these are of text alone, not of the elements around it. */
  textRanges(start, end) {
    const pieces = this.piecesOf(start, end).filter(({ node, offset, text }) => node && offset + text.length <= node.length);
    return pieces.map((piece) => {
      const range = document.createRange();
      range.setStart(piece.node, piece.offset + Math.max(0, start - piece.start));
      range.setEnd(piece.node, piece.offset + Math.min(piece.text.length, end - piece.start));
      return range;
    });
  }

  /** The offset of a place in the document; null if it is not in the text. */
  offsetOf(node, offset) {
    const piece = this.pieces.findLast((one) => one.node === node && one.offset <= offset);
    return piece ? piece.start + Math.min(offset - piece.offset, piece.text.length) : null;
  }
}

function isFixedElement(element) {
  return FIXED_INLINE.has(element.tagName) || !element.isContentEditable;
}
