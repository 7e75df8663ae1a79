/** Checks one field while it has the focus. */

const PAUSE_MILLISECONDS = 400;
/** A check that failed is repeated after this time. The background script sends nothing for ten seconds after an unanswered request. */
const RETRY_MILLISECONDS = 11_000;
/** Findings at the caret are shown this long after the last change, when the word is likely finished. */
const TYPING_MILLISECONDS = 1500;
/** Pages also move fields and change their text without an event. */
const WATCH_MILLISECONDS = 250;
/** Units of text; the server's default limit is 200,000 characters. */
const MAX_TEXT = 100_000;

class Session {
  constructor(element, overlay, send) {
    this.element = element;
    this.overlay = overlay;
    this.send = send;
    this.findings = [];
    this.changed = -Infinity;
    this.card = new Card(overlay, {
      accept: (finding, replacement) => this.accept(finding, replacement),
      ignore: (finding) => this.dismiss(finding, { type: "ignore-once", finding: plain(finding) }),
      addWord: (finding) => this.dismiss(finding, { type: "add-word", word: finding.source.trim() }),
      loadAlternatives: (finding) => this.loadAlternatives(finding),
      leave: () => this.leaveCard(),
    });
    overlay.open(element);
    const Field = element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement ? TextControl : EditableField;
    this.field = new Field(element, overlay, () => this.update());
    this.text = this.field.read();
    this.watch = setInterval(() => this.update(), WATCH_MILLISECONDS);
    this.schedule();
  }

  close() {
    this.isClosed = true;
    clearInterval(this.watch);
    clearTimeout(this.timer);
    this.field.close();
    this.card.element.remove();
    this.overlay.lines.replaceChildren();
    this.overlay.close();
  }

  /** Takes up a change of the text or of the layout. */
  update() {
    if (this.isClosed) return;
    const text = this.field.read();
    if (text !== this.text) {
      this.findings = moveFindings(this.findings, this.text, text);
      this.text = text;
      this.changed = performance.now();
      this.card.hide();
      this.schedule();
      this.draw();
    } else if (this.look !== this.currentLook()) this.draw();
  }

  currentLook() {
    return `${this.field.geometry} ${performance.now() - this.changed < TYPING_MILLISECONDS} ${this.field.caret}`;
  }

  schedule(milliseconds = PAUSE_MILLISECONDS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.check();
    }, milliseconds);
  }

  async check() {
    const { text } = this;
    if (!mayRead(this.element)) return this.close();
    if (!text.trim() || text.length > MAX_TEXT) return this.set([]);
    const { value, error } = await this.send({ type: "check", text });
    if (this.isClosed || this.isReplacing || text !== this.text) return;
    if (!error) this.set(value.filter(({ start, end }) => this.field.isEditable(start, end)));
    else if (this.timer === null) this.schedule(RETRY_MILLISECONDS); // what was found before stays
  }

  /** Shows the findings of a check. A change that was found before stays the same object, so that its open card stays open. */
  set(findings) {
    const find = (finding) => this.findings.find((known) => isSameChange(known, finding)) ?? {};
    this.findings = findings.map((finding) => Object.assign(find(finding), finding));
    if (!this.findings.includes(this.card.finding)) this.card.hide();
    this.draw();
  }

  draw() {
    this.look = this.currentLook();
    const isTyping = performance.now() - this.changed < TYPING_MILLISECONDS;
    const { caret } = this.field;
    this.field.measure();
    for (const finding of this.findings) {
      const { start, end } = underlinedSpan(this.text, finding);
      const isAtCaret = isTyping && caret !== null && start <= caret && caret <= Math.max(end, finding.end);
      finding.rectangles = isAtCaret ? [] : this.field.rectangles(start, end);
    }
    this.overlay.draw(this.findings, visibleBox(this.element), this.card.finding);
    this.card.place();
  }

  /** Opens the card of the finding at a point; closes an open one if there is none. */
  click(x, y) {
    // Who clicks has stopped typing. The click has put the caret on the word, where no finding is shown while a person types.
    this.changed = -Infinity;
    this.draw();
    const visible = visibleBox(this.element);
    const hit = this.findings.find(
      ({ rectangles }) => contains(visible, x, y) && rectangles.some((box) => contains({ ...box.toJSON(), bottom: box.bottom + 3 }, x, y)),
    );
    if (hit) this.open(hit);
    else this.closeCard();
  }

  /** Opens the card of the next finding: behind the open one, or else from the caret on. */
  openNext() {
    const from = this.card.finding ? this.card.finding.start + 1 : (this.field.caret ?? 0);
    this.changed = -Infinity;
    const next = this.findings.find(({ start, end }) => start >= from || (!this.card.finding && end >= from)) ?? this.findings[0];
    if (!next) return;
    this.open(next);
    this.card.focus();
  }

  open(finding) {
    this.card.show(finding);
    this.draw();
  }

  closeCard() {
    if (!this.card.finding) return;
    this.card.hide();
    this.draw();
  }

  leaveCard() {
    this.closeCard();
    this.element.focus({ preventScroll: true });
  }

  async accept(finding, replacement) {
    this.findings = this.findings.filter((other) => other !== finding);
    this.card.hide();
    const { start, end, source } = finding;
    this.isReplacing = true; // a check of the text before would bring the finding back
    try {
      await this.field.replace(start, end, source, replacement);
    } finally {
      this.isReplacing = false;
      this.schedule();
    }
    this.update();
  }

  /** Hides a finding at once and saves that on the server; if that fails, the card stays and says why. */
  async dismiss(finding, message) {
    const { error } = await this.send(message);
    if (this.isClosed) return;
    if (error) return this.card.say(error);
    this.findings = this.findings.filter((other) => other !== finding);
    this.leaveCard();
    this.schedule();
  }

  async loadAlternatives(finding) {
    if (!finding.sentence) return [];
    return (await this.send({ type: "alternatives", finding: plain(finding) })).value ?? [];
  }
}

function isSameChange(one, other) {
  return one.start === other.start && one.source === other.source && one.replacement === other.replacement;
}

/** What the server needs to know of a finding. */
function plain({ source, replacement, sentence }) {
  return { source, replacement, sentence };
}
