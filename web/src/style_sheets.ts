import { StyleModule } from "style-mod";

/**
 * Has CodeMirror put its rules into a constructed style sheet rather than into a <style> element, which the server's
 * content security policy forbids. The library does so by itself only inside a shadow tree, so it is shown something
 * that looks like one, and the set of rules it makes for that is handed to the document.
 */
export function constructStyleSheets(): void {
  const tree = { ownerDocument: document, adoptedStyleSheets: [] };
  StyleModule.mount(tree as unknown as ShadowRoot, []);
  for (const key of Object.getOwnPropertySymbols(tree)) {
    Object.defineProperty(document, key, { value: Reflect.get(tree, key) });
  }
}
