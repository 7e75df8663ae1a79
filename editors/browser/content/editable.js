/** A content-editable field, with any elements inside. */

class EditableField {
  constructor(element, _overlay, onChange) {
    this.element = element;
    this.isStale = true;
    this.observer = new MutationObserver(() => {
      this.isStale = true;
      onChange();
    });
    this.observer.observe(element, { childList: true, characterData: true, subtree: true });
  }

  close() {
    this.observer.disconnect();
  }

  read() {
    if (this.isStale) this.content = new EditableText(this.element);
    this.isStale = false;
    return this.content.text;
  }

  get caret() {
    const { focusNode, focusOffset } = this.element.getRootNode().getSelection?.() ?? getSelection();
    return focusNode instanceof Text ? this.content.offsetOf(focusNode, focusOffset) : null;
  }

  get geometry() {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    return [left, top, width, height, this.element.scrollLeft, this.element.scrollTop].join();
  }

  measure() {}

  rectangles(start, end) {
    return this.content.textRanges(start, end).flatMap((range) => [...range.getClientRects()]);
  }

  isEditable(start, end) {
    return this.content.isEditable(start, end);
  }

  /**
   * Asks editors with a document model of their own to replace the selection: browsers send this event before they replace a
   * misspelt word. True if the editor does it.
   */
  offer(range, data) {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData("text/plain", data);
    const event = new InputEvent("beforeinput", {
      bubbles: true,
      cancelable: true,
      composed: true,
      inputType: data ? "insertReplacementText" : "deleteContentBackward",
      targetRanges: [new StaticRange(range)],
      // Browsers leave `data` empty here, but Firefox takes it for "" then, which some editors prefer to the transfer.
      ...(data && { data, dataTransfer }),
    });
    return !this.element.dispatchEvent(event);
  }

  /** Replaces a part of the text as typing would, so that editors notice it and undo takes it back. */
  async replace(start, end, expected, replacement) {
    this.read();
    if (this.content.text.slice(start, end) !== expected || !this.isEditable(start, end)) return false;
    if (this.content.piecesOf(start, end).length > 1) {
      // Only what differs: where the words of several elements are removed, browsers turn the spaces beside them into fixed ones.
      const same = commonEnds(expected, replacement);
      [start, end] = [start + same.start, end - same.end];
      [expected, replacement] = [expected, replacement].map((text) => text.slice(same.start, text.length - same.end));
    }
    const range = this.content.range(start, end);
    this.element.focus({ preventScroll: true });
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    // Rich editors read the selection in the event that tells them of its change.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (this.read().slice(start, end) !== expected) return false;
    if (this.offer(range, replacement) || this.read().slice(start, end) !== expected) return true;
    return replacement ? document.execCommand("insertText", false, replacement) : document.execCommand("delete");
  }
}
