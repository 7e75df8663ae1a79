/** The server's own API, as far as the page uses it. Offsets are UTF-16 code units, as in JavaScript. */

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly source: string;
  readonly replacement: string;
  readonly kind: string;
  readonly confidence: number;
  readonly explanation: string;
}

export interface Step {
  readonly sentence: { readonly start: number; readonly end: number; readonly text: string };
  readonly edits: readonly Edit[];
}

export interface Done {
  readonly done: boolean;
  readonly milliseconds: number;
  readonly calls: number;
  readonly error?: string;
}

export interface Info {
  readonly version: string;
  readonly model: { readonly name: string; readonly parameters: number | null };
  readonly languages: readonly string[];
  readonly kinds: readonly { readonly id: string; readonly name: string }[];
  readonly threshold: number;
  /** By language. */
  readonly thresholds: Readonly<Record<string, number>>;
}

export interface Block {
  readonly text: string;
  readonly own: string;
  readonly rejected: string;
  readonly drafted: number;
  readonly agreed: number;
}

export interface Trace {
  readonly source: string;
  readonly target: string;
  readonly calls: number;
  readonly tokens: number;
  readonly milliseconds: number;
  readonly blocks: readonly Block[];
}

export type Ignore =
  | { readonly ignore: "once"; readonly source: string; readonly replacement: string; readonly sentence: string }
  | { readonly ignore: "word"; readonly word: string }
  | { readonly ignore: "kind"; readonly kind: string };

/** The server answered, but not with what was asked for; the message says what to do. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The server did not answer. */
export class Away extends Error {}

let key = "";

/** The key of a server that wants one. The page forgets it when it is left. */
export function useKey(given: string): void {
  key = given.trim();
}

async function ask(path: string, options: RequestInit = {}, accept = "application/json"): Promise<Response> {
  const headers: Record<string, string> = { accept };
  if (options.body) headers["content-type"] = "application/json";
  if (key) headers["x-api-key"] = key;
  let response: Response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    throw isAbort(error) ? error : new Away();
  }
  if (response.ok) return response;
  const said = (await response.json().catch(() => ({}))) as { error?: string };
  throw new Refusal(response.status, said.error ?? `the server answered with status ${response.status}`);
}

async function askFor<Answer>(path: string, options: RequestInit = {}): Promise<Answer> {
  const response = await ask(path, options);
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    throw isAbort(error) ? error : new Away();
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Checks a text and tells of its sentences as they are done, several at a time where they come so. */
export async function check(
  text: string,
  language: string,
  signal: AbortSignal,
  onSteps: (steps: Step[]) => void,
): Promise<Done> {
  // The page filters by confidence itself, so that its slider needs no new check.
  const body = JSON.stringify({ text, language, threshold: 0 });
  const response = await ask("/v1/check", { method: "POST", body, signal }, "application/x-ndjson");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Away();
      const lines = (rest + value).split("\n");
      rest = lines.pop()!;
      const parsed = lines.map((line) => JSON.parse(line) as Step | Done);
      const steps = parsed.filter((line): line is Step => "sentence" in line);
      if (steps.length) onSteps(steps);
      const last = parsed.at(-1);
      if (last && "done" in last) return last;
    }
  } catch (error) {
    throw error instanceof TypeError ? new Away() : error;
  }
}

export function trace(sentence: string, policies: readonly string[], signal: AbortSignal): Promise<Record<string, Trace>> {
  return askFor("/v1/trace", { method: "POST", body: JSON.stringify({ sentence, policies }), signal });
}

export function info(): Promise<Info> {
  return askFor("/v1/info");
}

export async function isThere(): Promise<boolean> {
  return ask("/health").then(
    () => true,
    () => false,
  );
}

export async function listWords(): Promise<string[]> {
  return (await askFor<{ words: string[] }>("/v1/words?scope=user")).words;
}

export async function addWord(word: string): Promise<void> {
  await ask("/v1/words", { method: "POST", body: JSON.stringify({ word }) });
}

export async function removeWord(word: string): Promise<void> {
  await ask(`/v1/words?${new URLSearchParams({ word })}`, { method: "DELETE" });
}

export async function listIgnores(): Promise<string[]> {
  return (await askFor<{ ignores: string[] }>("/v1/ignores?scope=user")).ignores;
}

/** Gives back the line that was written to the file of ignores, by which it can be taken back. */
export async function addIgnore(ignore: Ignore): Promise<string | undefined> {
  const before = new Set(await listIgnores());
  await ask("/v1/ignores", { method: "POST", body: JSON.stringify(ignore) });
  return (await listIgnores()).find((entry) => !before.has(entry));
}

export async function removeIgnore(entry: string): Promise<void> {
  await ask(`/v1/ignores?${new URLSearchParams({ entry })}`, { method: "DELETE" });
}
