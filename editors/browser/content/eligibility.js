/** Decides which fields may be read. */

const TEXT_INPUTS = ["text", "search"];
const OPTED_OUT = '[data-gramm="false"], [data-enable-grammarly="false"], [data-lt-active="false"]';
/** Other values of `autocomplete` name passwords, codes, payment and personal data. */
const NO_AUTOFILL = ["", "on", "off"];
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
  const checked = closest(field, "[spellcheck]")?.getAttribute("spellcheck") ?? "";
  return checked.toLowerCase() === "false" || closest(field, OPTED_OUT) !== null;
}

/** The nearest element around a field that matches, also outside of the shadow tree that the field is in. */
function closest(field, selector) {
  for (let at = field; at; at = at.getRootNode().host) {
    const found = at.closest(selector);
    if (found) return found;
  }
  return null;
}

function isPrivate(field) {
  if (!NO_AUTOFILL.includes(field.autocomplete)) return true;
  if (field instanceof HTMLTextAreaElement) return false;
  const isNumber = ["numeric", "decimal", "tel"].includes(field.inputMode);
  const labels = [...(field.labels ?? [])].map((label) => label.textContent);
  return isNumber || [field.name, field.id, field.placeholder, field.ariaLabel, ...labels].some((name) => PRIVATE_NAME.test(name ?? ""));
}
