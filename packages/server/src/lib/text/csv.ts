// CSV as spreadsheets write it: cells in quotes with separators and line breaks in them, CRLF, a byte order mark,
// semicolons or tabs instead of commas. Cells that a spreadsheet would run as a formula are defused when they are
// written, and restored when they are read.

export type CsvSeparator = "," | ";" | "\t";
export type CsvRow = { line: number; cells: string[] };

const byteOrderMark = "\uFEFF";

/** The separator that occurs most often in the first line, outside of quotes. */
export function detectSeparator(text: string): CsvSeparator {
  const counts = { ",": 0, ";": 0, "\t": 0 };
  let isQuoted = false;
  for (const character of text.slice(0, 20_000)) {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === "\n" || character === "\r") break;
    else if (character in counts) counts[character as CsvSeparator]++;
  }
  const [best] = (Object.entries(counts) as [CsvSeparator, number][]).toSorted((a, b) => b[1] - a[1]);
  return best![1] > 0 ? best![0] : ",";
}

/**
 * The rows with the number of the line each begins at; empty lines are left out. A quote that is not closed ends with
 * the text: its row comes last, with `isOpen`.
 */
export function* readCsv(text: string, separator: CsvSeparator): Generator<CsvRow & { isOpen?: true }> {
  let at = text.startsWith(byteOrderMark) ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const row: CsvRow & { isOpen?: true } = { line, cells: [] };
    for (let isRowOpen = true; isRowOpen; ) {
      let cell = "";
      if (text[at] === '"') {
        const end = closingQuote(text, at + 1);
        if (end === -1) row.isOpen = true;
        const inside = text.slice(at + 1, end === -1 ? text.length : end);
        line += countBreaks(inside);
        cell = inside.replaceAll('""', '"');
        at = end === -1 ? text.length : end + 1;
      }
      const end = cellEnd(text, at, separator);
      // Signs between the closing quote and the separator belong to the cell.
      row.cells.push(cell + text.slice(at, end));
      isRowOpen = text[end] === separator;
      at = end + 1;
      // A separator at the very end of the text has an empty cell behind it.
      if (isRowOpen && at === text.length) {
        row.cells.push("");
        isRowOpen = false;
      }
      if (!isRowOpen && text[end] === "\r" && text[at] === "\n") at++;
    }
    line++;
    if (row.isOpen || row.cells.some((one) => one.trim() !== "")) yield row;
  }
}

function closingQuote(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 2)) {
    if (text[end + 1] !== '"') return end;
  }
  return -1;
}

function cellEnd(text: string, from: number, separator: string): number {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
  return end;
}

const countBreaks = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

// A spreadsheet runs a cell that begins with one of these signs, also as full-width signs, as a formula: an attack when
// another person wrote the text. It may skip spaces, invisible characters and quotes before the sign. And it may divide
// the text into cells at semicolons, tabs and line breaks, whatever the quotes say, when it expects another separator
// than the comma.
const signs = "=+\\-@\uFF1D\uFF0B\uFF0D\uFF20";
const skipped =
  "'\" \u00A0\u00AD\u1680\u2000-\u200F\u2028\u2029\u202F\u205F\u2060\u3000\uFEFF\\x00-\\x08\\v\\f\\x0E-\\x1F\\x7F";
const formula = new RegExp(`(^|[;\\t\\r\\n])(?=[${skipped}]*[${signs}])`, "g");
const defusedFormula = new RegExp(`(^|[;\\t\\r\\n])'(?=[${skipped}]*[${signs}])`, "g");

/**
 * Puts an apostrophe before all that a spreadsheet might run, as spreadsheets do, and before what looks defused
 * already.
 */
const defuse = (cell: string): string => cell.replace(formula, "$1'");

/** Reverses `defuse`. */
export const restoreCell = (cell: string): string => cell.replace(defusedFormula, "$1");

/** One line with its line break. Every cell is in quotes. */
export const writeCsvRow = (cells: readonly string[]): string =>
  `${cells.map((cell) => `"${defuse(cell).replaceAll('"', '""')}"`).join(",")}\r\n`;
