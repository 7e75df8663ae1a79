import type { EditorView } from "@codemirror/view";
import { setChecked, stopTyping } from "./findings";
import { type CheckOptions, type Done, RequestError, type Step, UnreachableError, check, isAbort, isReachable } from "./server";

/** Milliseconds without a keystroke before a check. */
const DEBOUNCE = 150;
/** Milliseconds without a keystroke after which the word at the caret counts as finished. */
const TYPING_PAUSE = 1200;
/** Milliseconds before the first, second… retry. */
const RETRIES = [1000, 2000, 4000, 8000];

export type Status =
  | { readonly is: "checking"; readonly sentences: number }
  | { readonly is: "checked"; readonly done: Done; readonly sentences: number }
  | { readonly is: "empty" }
  | { readonly is: "unreachable" }
  | { readonly is: "key-required" }
  | { readonly is: "refused"; readonly message: string };

/** Checks the text after each change and cancels a check that is out of date. */
export class Checker {
  options: CheckOptions = { language: "auto", threshold: null };
  private timer: ReturnType<typeof setTimeout> | undefined;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | undefined;
  private failures = 0;

  constructor(
    private readonly view: EditorView,
    private readonly report: (status: Status) => void,
  ) {}

  /** Checks the text after a change, once the user pauses. */
  scheduleCheck(): void {
    this.schedule(DEBOUNCE);
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.view.dispatch({ effects: stopTyping.of(null) }), TYPING_PAUSE);
  }

  /** Checks the text now; the server has unchanged sentences in its cache. */
  checkNow(): void {
    this.schedule(0);
  }

  private schedule(milliseconds: number): void {
    this.running?.abort();
    clearTimeout(this.timer);
    this.report({ is: "checking", sentences: 0 });
    this.timer = setTimeout(() => void this.run(), milliseconds);
  }

  private async run(): Promise<void> {
    if (this.view.composing) return this.schedule(DEBOUNCE); // an input method is in the middle of a character
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
      const done = await check(text, this.options, running.signal, (fresh) => {
        if (running.signal.aborted) return;
        steps.push(...fresh);
        this.show(steps, fresh.at(-1)!.sentence.end);
        this.report({ is: "checking", sentences: steps.length });
      });
      if (running.signal.aborted) return;
      if (!done.done) throw new RequestError(503, done.error ?? "the server stopped in the middle of the text");
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
    if (error instanceof UnreachableError) {
      this.report({ is: "unreachable" });
      this.timer = setTimeout(() => void this.reconnect(), delay);
    } else if (error instanceof RequestError && error.status === 401) {
      this.report({ is: "key-required" });
    } else if (error instanceof RequestError) {
      this.report({ is: "refused", message: error.message });
      // The server is busy or took too long; it has the sentences decoded so far in its cache.
      if (error.status === 503 || error.status === 504) this.timer = setTimeout(() => void this.run(), delay);
    } else {
      this.report({ is: "refused", message: "the page could not read the server's answer; reload the page" });
    }
  }

  private async reconnect(): Promise<void> {
    if (await isReachable()) await this.run();
    else this.recover(new UnreachableError(), 0);
  }
}
