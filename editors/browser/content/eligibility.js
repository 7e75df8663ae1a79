/** Decides which fields may be read. */

const TEXT_INPUTS = ["text", "search"];
const OPTED_OUT = '[data-gramm="false"], [data-enable-grammarly="false"], [data-lt-active="false"]';
/** Values of `autocomplete` that name secrets, payment and personal data; names of cards begin with cc-. */
const PRIVATE_DATA = /(^|\s)(cc-\S+|\S*password|one-time-code|username|email|tel\S*|bday\S*|postal-code|webauthn)(\s|$)/i;
/** Names and labels of fields that hold secrets or card numbers, for pages that turn autocomplete off. */
const PRIVATE_NAME = /passw|pwd|passcode|secret|card|cc.?num|cvc|cvv|iban|\bpin\b|\botp\b|\bssn\b/i;
/** Fields that were password fields before: a page shows a password by changing the type of its field. */
const passwordFields = new WeakSet();

/** The text area, input or outermost content-editable element at an element; null if there is none. */
function fieldAt(element) {
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) return element;
  if (!(element instanceof HTMLElement) || !element.isContentEditable) return null;
  let root = element;
  while (root.parentElement?.isContentEditable) root = root.parentElement;
  return root;
}

/** Whether the text of a field may be read and sent to the server. */
function mayRead(field) {
  if (!field.isConnected || isOptedOut(field)) return false;
  if (field instanceof HTMLTextAreaElement) return !field.readOnly && !field.disabled && !isPrivate(field);
  if (!(field instanceof HTMLInputElement)) return field.isContentEditable;
  if (field.type === "password") passwordFields.add(field);
  const isText = TEXT_INPUTS.includes(field.type) && !passwordFields.has(field);
  return isText && !field.readOnly && !field.disabled && !isPrivate(field);
}

function isOptedOut(field) {
  const checked = field.closest("[spellcheck]")?.getAttribute("spellcheck") ?? "";
  return checked.toLowerCase() === "false" || field.closest(OPTED_OUT) !== null;
}

function isPrivate(field) {
  if (PRIVATE_DATA.test(field.autocomplete)) return true;
  if (field instanceof HTMLTextAreaElement) return false;
  const isNumber = ["numeric", "decimal", "tel"].includes(field.inputMode);
  const names = [field.name, field.id, field.placeholder, field.ariaLabel, ...[...(field.labels ?? [])].map((label) => label.textContent)];
  return isNumber || names.some((name) => name && PRIVATE_NAME.test(name));
}
