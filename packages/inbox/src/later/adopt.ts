// The style sheet of what is loaded later.
import { laterStyle } from "./later-style.ts";

let sheet: CSSStyleSheet | undefined;

/**
 * Adds it to the shadow tree that the node is in. An element that was moved has lost it, so this is called with every
 * drawing.
 */
export function adoptStyle(node: Node): void {
  const root = node.getRootNode() as ShadowRoot;
  if (sheet && root.adoptedStyleSheets.includes(sheet)) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(laterStyle);
  }
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
