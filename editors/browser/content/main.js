/** Starts a session for the field that has the focus, and ends it when the focus goes elsewhere. */

const overlay = new Overlay();
let session = null;

/** A message to the background script; an object with `value` or `error`. */
async function send(message) {
  try {
    return (await chrome.runtime.sendMessage(message)) ?? { error: "no answer" };
  } catch (error) {
    return { error: error.message }; // the extension was reloaded or removed
  }
}

function endSession() {
  session?.close();
  session = null;
}

async function enter(target) {
  if (target === overlay.host || overlay.root.contains(target)) return;
  const field = fieldAt(target);
  if (session && session.element === field && !session.isClosed) return;
  endSession();
  if (!field || !mayRead(field)) return;
  const { value: isOn } = await send({ type: "is-on" });
  if (!isOn || fieldAt(focusedElement()) !== field) return;
  endSession();
  session = new Session(field, overlay, send);
}

function focusedElement() {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement && element !== overlay.host) element = element.shadowRoot.activeElement;
  return element;
}

addEventListener("focusin", (event) => void enter(event.composedPath()[0]), true);
addEventListener(
  "focusout",
  () =>
    setTimeout(() => {
      const focused = focusedElement();
      if (session && focused !== overlay.host && fieldAt(focused) !== session.element) endSession();
    }),
  true,
);
addEventListener("input", () => session?.update(), true);
addEventListener("scroll", () => session && requestAnimationFrame(() => session?.update()), { capture: true, passive: true });
addEventListener("resize", () => session?.update());
addEventListener(
  "click",
  (event) => {
    const path = event.composedPath();
    if (!session || path.includes(overlay.host)) return;
    if (path.includes(session.element)) session.click(event.clientX, event.clientY);
    else session.closeCard();
  },
  true,
);
addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || !session?.card.finding || session.card.hasFocus) return;
    event.preventDefault();
    event.stopPropagation();
    session.closeCard();
  },
  true,
);

chrome.runtime.onMessage.addListener((message, _sender, respond) => {
  if (message.type === "site") respond(location.hostname || "local files");
  else if (message.type === "next-suggestion") session?.openNext();
  else if (message.type === "switched" && !message.on) endSession();
  else if (message.type === "switched") void enter(focusedElement());
});

if (document.activeElement) void enter(focusedElement());
