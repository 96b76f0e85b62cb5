// Identifiers of workflows.

/** Letters that Unicode does not take apart. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  ø: "o",
  œ: "oe",
  ł: "l",
  đ: "d",
  þ: "th",
};

/** An identifier from a name, as the service accepts it: "Order shipped!" becomes "order-shipped". */
export const identifierFrom = (name: string): string =>
  name
    .replace(/[ßẞæøœłđþ]/gi, (letter) => letters[letter.toLowerCase()] ?? "")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 100)
    .replace(/-$/, "");

export const isIdentifier = (text: string): boolean =>
  text.length <= 100 && /^[a-zA-Z0-9]+(?:[-_.][a-zA-Z0-9]+)*$/.test(text);
