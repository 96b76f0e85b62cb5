// Markdown of the report. Texts of the evidence come from a run in which things break, so none of them is trusted to
// be harmless: markup, line breaks and control characters are taken out of force.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]|\p{Surrogate}/gu;

/** On one line, without control characters, and not longer than a reader wants. */
export function cleanText(text: string, maxLength = 300): string {
  const clean = text.replaceAll(control, " ").replaceAll(/\s+/g, " ").trim();
  return clean.length <= maxLength ? clean : `${clean.slice(0, maxLength - 1)}…`;
}

/** A foreign text as part of a sentence or a cell: shown unchanged, without any effect. */
export const escapeText = (text: string, maxLength = 300): string =>
  cleanText(text, maxLength)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[\\`*_[\]#!|~]|(?<=\])\(/g, "\\$&")
    // Lists and underlined headings, when the line is wrapped here.
    .replaceAll(/(^|\s)([-=+]+)(?=\s|$)/g, "$1\\$2")
    // Neither mentions nor addresses become links.
    .replaceAll("@", "&#64;")
    .replaceAll("://", "&#58;//");

/** As a quotation. */
export const quoteText = (text: string, maxLength = 300): string =>
  `“${escapeText(text.replaceAll(/[“”]/g, '"'), maxLength)}”`;

export function formatTable(head: string[], rows: string[][], right: number[] = []): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(head),
    `|${head.map((_, at) => (right.includes(at) ? "--:" : "---")).join("|")}|`,
    ...rows.map(line),
  ].join("\n");
}

/** Paragraphs and list items, wrapped at 120 columns. */
export function wrapText(text: string, columns = 120): string {
  const indent = text.startsWith("- ") ? "  " : "";
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > columns) {
      lines.push(current);
      current = indent + word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current].join("\n");
}

export const formatCount = (value: number): string => Math.round(value).toLocaleString("en");

export const countOf = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

/** Milliseconds in the unit that a reader expects. */
export function formatMs(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${(ms / 60_000).toFixed(ms < 600_000 ? 1 : 0)} min`;
}

export function joinWords(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
