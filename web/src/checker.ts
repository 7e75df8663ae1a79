import type { EditorView } from "@codemirror/view";
import { rest, setChecked } from "./findings";
import { Away, type Done, Refusal, type Step, check, isAbort, isThere } from "./server";

/** People who type this fast are not checked between two letters. */
const PAUSE = 150;
/** Who has not typed for so long has finished the word. */
const REST = 1200;
const RETRIES = [1000, 2000, 4000, 8000];

export type Condition =
  | { readonly is: "checking"; readonly sentences: number }
  | { readonly is: "checked"; readonly done: Done; readonly sentences: number }
  | { readonly is: "empty" }
  | { readonly is: "away" }
  | { readonly is: "locked" }
  | { readonly is: "refused"; readonly message: string };

/** Has the text checked whenever it changed, and gives up a check that is not wanted any more. */
export class Checker {
  language = "auto";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | undefined;
  private failures = 0;

  constructor(
    private readonly view: EditorView,
    private readonly report: (condition: Condition) => void,
  ) {}

  /** The text changed. */
  touch(): void {
    this.schedule(PAUSE);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.view.dispatch({ effects: rest.of(null) }), REST);
  }

  /** Checks the text now; the server remembers the sentences that did not change. */
  now(): void {
    this.schedule(0);
  }

  private schedule(milliseconds: number): void {
    this.running?.abort();
    clearTimeout(this.timer);
    this.report({ is: "checking", sentences: 0 });
    this.timer = setTimeout(() => void this.run(), milliseconds);
  }

  private async run(): Promise<void> {
    if (this.view.composing) return this.schedule(PAUSE); // half a character is nothing to check
    const running = new AbortController();
    this.running = running;
    const text = this.view.state.doc.toString();
    const steps: Step[] = [];
    if (!text.trim()) {
      this.show(steps, text.length);
      this.report({ is: "empty" });
      return;
    }
    try {
      const done = await check(text, this.language, running.signal, (fresh) => {
        if (running.signal.aborted) return;
        steps.push(...fresh);
        this.show(steps, fresh.at(-1)!.sentence.end);
        this.report({ is: "checking", sentences: steps.length });
      });
      if (running.signal.aborted) return;
      if (!done.done) throw new Refusal(503, done.error ?? "the server stopped in the middle of the text");
      this.failures = 0;
      this.show(steps, text.length);
      this.report({ is: "checked", done, sentences: steps.length });
    } catch (error) {
      if (!running.signal.aborted && !isAbort(error)) this.recover(error, steps.length);
    }
  }

  private show(steps: readonly Step[], end: number): void {
    this.view.dispatch({ effects: setChecked.of({ steps, end }) });
  }

  private recover(error: unknown, progress: number): void {
    const delay = RETRIES[Math.min(progress ? 0 : this.failures++, RETRIES.length - 1)]!;
    if (error instanceof Away) {
      this.report({ is: "away" });
      this.timer = setTimeout(() => void this.knock(), delay);
    } else if (error instanceof Refusal && error.status === 401) {
      this.report({ is: "locked" });
    } else if (error instanceof Refusal) {
      this.report({ is: "refused", message: error.message });
      // The server is busy or took too long; what it has done so far it remembers.
      if (error.status === 503 || error.status === 504) this.timer = setTimeout(() => void this.run(), delay);
    } else {
      this.report({ is: "refused", message: "the page could not read the server's answer; reload it" });
    }
  }

  private async knock(): Promise<void> {
    if (await isThere()) await this.run();
    else this.recover(new Away(), 0);
  }
}
