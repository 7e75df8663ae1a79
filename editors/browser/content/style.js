/** The style sheet of what is drawn over a page, in a shadow tree that the page's own styles do not reach. */

const STYLE = `
* { box-sizing: border-box; }
.mirror { position: absolute; visibility: hidden; margin: 0; border: 0; transform-origin: 0 0; align-items: center; }
.underline { position: absolute; height: 3px; --colour: #2f6fd6; background: var(--colour); border-radius: 1px; }
.underline.solid { height: 2px; }
.underline.wavy {
  --colour: #d8382b;
  background:
    linear-gradient(45deg, transparent 34%, var(--colour) 34% 62%, transparent 62%) 0 0 / 6px 3px,
    linear-gradient(-45deg, transparent 34%, var(--colour) 34% 62%, transparent 62%) 3px 0 / 6px 3px;
}
.active { position: absolute; background: #2f6fd62e; border-radius: 2px; }
.card {
  --ink: light-dark(#211f1b, #ece7dc); --soft: light-dark(#5c564d, #b3ac9e); --rule: light-dark(#e0d9cc, #46423b);
  --paper: light-dark(#ffffff, #272522); --accent: light-dark(#1d5a4e, #7fc9b5); --on-accent: light-dark(#ffffff, #10201c);
  position: absolute; width: min(340px, calc(100vw - 16px)); padding: 12px 14px 10px; pointer-events: auto;
  border: 1px solid var(--rule); border-radius: 11px; background: var(--paper); color: var(--ink);
  box-shadow: 0 2px 4px #0000001a, 0 12px 32px -8px #00000059;
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; text-align: start;
}
.card p { margin: 0; }
.kind { padding-right: 28px; color: var(--soft); font-size: 12px; }
.change { margin: 2px 0 6px; font-size: 17px; overflow-wrap: anywhere; }
.change del { color: var(--soft); }
.change ins { text-decoration: none; font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 10px; }
.quiet { margin-top: 8px; padding-top: 6px; border-top: 1px solid var(--rule); gap: 2px; }
.message { margin-top: 8px; color: var(--soft); font-size: 12px; }
.message:empty { display: none; }
button {
  min-height: 32px; padding: 3px 12px; border: 1px solid var(--rule); border-radius: 7px; background: none; color: inherit;
  font: inherit; cursor: pointer; overflow-wrap: anywhere;
}
button.main { border-color: transparent; background: var(--accent); color: var(--on-accent); font-weight: 600; }
.quiet button { padding: 3px 8px; border-color: transparent; color: var(--soft); font-size: 13px; }
button:hover:not(.main) { background: color-mix(in srgb, var(--ink) 8%, transparent); color: var(--ink); }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.close { position: absolute; top: 6px; right: 6px; width: 32px; padding: 0; border-color: transparent; color: var(--soft); font-size: 18px; }
`;

/** A constructed style sheet is not subject to the page's content security policy; where it cannot be used, an element is. */
function addStyle(root) {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
  }
}
