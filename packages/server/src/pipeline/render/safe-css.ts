// Style sheets and style attributes without what could run: addresses with a script scheme, and the properties and
// functions with which old browsers loaded code. Everything else stays unchanged written.
import postcss from "postcss";

/** Most styles have none of these, and need not be parsed. A backslash may hide a letter. */
const suspicious = /script|mocha|expression|behavior|binding|\\/i;

const dangerous = /(?:java|vb|live)script:|mocha:|expression\(|^(?:behavior|-moz-binding):/;

/**
 * A declaration or rule as a browser reads it: escapes decoded, without comments, whitespace and control characters.
 */
const readCss = (text: string): string =>
  text
    .replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, "")
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, code: string) =>
      String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
    )
    .replace(/[\s\p{Cc}\\]/gu, "")
    .toLowerCase();

const isDangerous = (text: string): boolean => dangerous.test(readCss(text));

/** A sheet, or the declarations of a style attribute. What cannot be parsed is removed, if it could hide something. */
export function cleanCss(css: string): string {
  if (!suspicious.test(css)) return css;
  try {
    const root = postcss.parse(css);
    root.walkDecls((declaration) => {
      if (isDangerous(declaration.toString())) declaration.remove();
    });
    root.walkAtRules((rule) => {
      if (isDangerous(rule.params)) rule.remove();
    });
    const cleaned = root.toString();
    return isDangerous(cleaned) ? "" : cleaned;
  } catch {
    return "";
  }
}
