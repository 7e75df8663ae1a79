/** Client of the server's API. All requests are POST: then every browser sends the extension's origin, which the server allows. */
import { readSettings } from "./settings.js";

/** Time without requests after one that was not answered. */
const PAUSE_MILLISECONDS = 10_000;
const pause = { address: "", until: 0 };

/** The server answered with an error status. */
export class RefusedError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The server did not answer. */
export class UnreachableError extends Error {
  constructor(address) {
    super(`No Redraft server at ${address}. Start it with: redraft serve`);
  }
}

async function request(path, body, signal) {
  const { address, key } = await readSettings();
  if (address === pause.address && Date.now() < pause.until) throw new UnreachableError(address);
  const headers = { "content-type": "application/json", ...(key && { "x-api-key": key }) };
  const options = { method: "POST", headers, body: JSON.stringify(body), cache: "no-store", credentials: "omit", signal };
  let response;
  try {
    response = await fetch(address + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    Object.assign(pause, { address, until: Date.now() + PAUSE_MILLISECONDS });
    throw new UnreachableError(address);
  }
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  throw new RefusedError(response.status, reply.error ?? `the server answered with status ${response.status}`);
}

/** The edits of a text, each with the text of its sentence. Offsets are UTF-16 units, as in JavaScript. */
export async function check(text, signal) {
  const { edits, sentences } = await request("/v1/check", { text, format: "plain", possible_errors: true }, signal);
  return edits.map(({ start, end, source, replacement, kind, explanation, certain = true }) => {
    const sentence = sentences.find((one) => one.start <= start && end <= one.end);
    return { start, end, source, replacement, kind, explanation, certain, sentence: sentence?.text ?? "" };
  });
}

/** Other replacements for an edit of a sentence. */
export async function alternatives({ sentence, source, replacement }) {
  const { edits } = await request("/v1/check", {
    text: sentence,
    format: "plain",
    possible_errors: true,
    alternatives: true,
  });
  const same = edits.find((edit) => edit.source === source && edit.replacement === replacement);
  return (same?.alternatives ?? []).map((other) => other.replacement).filter((other) => other !== replacement);
}

export function ignoreOnce({ source, replacement, sentence }) {
  return request("/v1/ignores", { ignore: "once", source, replacement, sentence });
}

export function addWord(word) {
  return request("/v1/words", { word });
}

/** Fails if the server does not answer or refuses the key, also during a pause. */
export async function probe() {
  pause.until = 0;
  await request("/v1/check", { text: "", format: "plain" });
}
