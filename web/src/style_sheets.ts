import { StyleModule } from "style-mod";

/**
 * Makes CodeMirror use constructed style sheets instead of a <style> element, which the server's content security
 * policy forbids. The library does so only inside a shadow tree, so it is given an object that looks like one, and the
 * style set it creates there is attached to the document.
 */
export function constructStyleSheets(): void {
  const tree = { ownerDocument: document, adoptedStyleSheets: [] };
  StyleModule.mount(tree as unknown as ShadowRoot, []);
  for (const key of Object.getOwnPropertySymbols(tree)) {
    Object.defineProperty(document, key, { value: Reflect.get(tree, key) });
  }
}
