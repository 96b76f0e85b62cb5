// Style sheets of the element, as objects: a <style> element may be forbidden by the Content-Security-Policy of a page.

/** Returns the sheet. Browsers without `light-dark()` get the light colours, and the dark ones with `theme="dark"`. */
export function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const pairs = /light-dark\(([^,]*),([^)]*)\)/g;
  sheet.replaceSync(
    CSS.supports("color", "light-dark(red,red)")
      ? text
      : // One of the two variables is empty, the other one is not set, so that what it stands in for counts.
        text.replace(pairs, "var(--lt,$1)var(--dk,$2)") +
          ":host{--lt:initial;--dk: }:host([theme=dark]){--lt: ;--dk:initial}",
  );
  return sheet;
}
