/** Client of the server's API. Offsets are UTF-16 code units, as in JavaScript. */

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly source: string;
  readonly replacement: string;
  readonly kind: string;
  readonly confidence: number;
  readonly explanation: string;
  /** False for a possible error: something is probably wrong, but the replacement is not certain. */
  readonly certain?: false;
  /** Replacements for the same span, the edit's own first, then by probability; only if they were asked for. */
  readonly alternatives?: readonly Alternative[];
}

export interface Alternative {
  readonly replacement: string;
  readonly confidence: number;
}

/** Why a sentence was not checked. */
export interface Unchecked {
  readonly reason: string;
  readonly message: string;
}

export interface Step {
  readonly sentence: { readonly start: number; readonly end: number; readonly text: string };
  readonly edits: readonly Edit[];
  readonly unchecked?: Unchecked;
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
  readonly kinds: readonly {
    readonly id: string;
    readonly name: string;
    /** Language → name. */
    readonly names: Readonly<Record<string, string>>;
  }[];
  readonly threshold: number;
  /** Language → threshold of its model. */
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

/** The server answered with an error status and this message. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The server did not answer. */
export class UnreachableError extends Error {}

let key = "";

/** Sets the API key for later requests. It is not stored. */
export function setKey(given: string): void {
  key = given.trim();
}

async function request(path: string, options: RequestInit = {}, accept = "application/json"): Promise<Response> {
  const headers: Record<string, string> = { accept };
  if (options.body) headers["content-type"] = "application/json";
  if (key) headers["x-api-key"] = key;
  let response: Response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    throw isAbort(error) ? error : new UnreachableError();
  }
  if (response.ok) return response;
  const reply = (await response.json().catch(() => ({}))) as { error?: string };
  throw new RequestError(response.status, reply.error ?? `the server answered with status ${response.status}`);
}

async function requestJson<Answer>(path: string, options: RequestInit = {}): Promise<Answer> {
  const response = await request(path, options);
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    throw isAbort(error) ? error : new UnreachableError();
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** What a check depends on besides the text. */
export interface CheckOptions {
  readonly language: string;
  /** The minimum confidence of suggestions; null for each model's own. */
  readonly threshold: number | null;
}

/** The body of a check. With a threshold that the user chose, possible errors are left out: they are below it. */
function bodyOf(text: string, options: CheckOptions): object {
  return { text, ...options, possible_errors: options.threshold === null };
}

/** Checks a text. `onSteps` receives the sentences as they are checked. */
export async function check(
  text: string,
  options: CheckOptions,
  signal: AbortSignal,
  onSteps: (steps: Step[]) => void,
): Promise<Done> {
  const body = JSON.stringify(bodyOf(text, options));
  const response = await request("/v1/check", { method: "POST", body, signal }, "application/x-ndjson");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new UnreachableError();
      const lines = (rest + value).split("\n");
      rest = lines.pop()!;
      const parsed = lines.map((line) => JSON.parse(line) as Step | Done);
      const steps = parsed.filter((line): line is Step => "sentence" in line);
      if (steps.length) onSteps(steps);
      const last = parsed.at(-1);
      if (last && "done" in last) return last;
    }
  } catch (error) {
    throw error instanceof TypeError ? new UnreachableError() : error;
  }
}

/** The edits of a sentence, each with its alternatives. */
export async function checkWithAlternatives(
  sentence: string,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<readonly Edit[]> {
  const body = JSON.stringify({ ...bodyOf(sentence, options), alternatives: true });
  return (await requestJson<{ edits: Edit[] }>("/v1/check", { method: "POST", body, signal })).edits;
}

export function trace(sentence: string, policies: readonly string[], signal: AbortSignal): Promise<Record<string, Trace>> {
  return requestJson("/v1/trace", { method: "POST", body: JSON.stringify({ sentence, policies }), signal });
}

export function info(): Promise<Info> {
  return requestJson("/v1/info");
}

export async function isReachable(): Promise<boolean> {
  return request("/health").then(
    () => true,
    () => false,
  );
}

export async function listWords(): Promise<string[]> {
  return (await requestJson<{ words: string[] }>("/v1/words?scope=user")).words;
}

export async function addWord(word: string): Promise<void> {
  await request("/v1/words", { method: "POST", body: JSON.stringify({ word }) });
}

export async function removeWord(word: string): Promise<void> {
  await request(`/v1/words?${new URLSearchParams({ word })}`, { method: "DELETE" });
}

export async function listIgnores(): Promise<string[]> {
  return (await requestJson<{ ignores: string[] }>("/v1/ignores?scope=user")).ignores;
}

/** Adds an ignore and returns its line in the file of ignores, by which it can be removed. */
export async function addIgnore(ignore: Ignore): Promise<string | undefined> {
  const before = new Set(await listIgnores());
  await request("/v1/ignores", { method: "POST", body: JSON.stringify(ignore) });
  return (await listIgnores()).find((entry) => !before.has(entry));
}

export async function removeIgnore(entry: string): Promise<void> {
  await request(`/v1/ignores?${new URLSearchParams({ entry })}`, { method: "DELETE" });
}
