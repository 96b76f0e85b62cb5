// CSV as spreadsheets write it: cells in quotes with separators and line breaks in them, CRLF, a byte order mark, semicolons or
// tabs in place of commas. Cells that a spreadsheet would run as a formula are defused when they are written, and restored when
// they are read.

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
 * The rows with the number of the line each begins at; empty lines are left out. A quote that is not closed ends with the text:
 * its row comes last, with `isOpen`.
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

// A spreadsheet runs a cell that begins so as a formula: an attack when another person wrote the text.
const formula = /^[=+\-@\t\r]/;
const defusedFormula = /^'(?=[=+\-@\t\r'])/;

/** A text that begins like a formula, or like a defused one, gets an apostrophe before it, as spreadsheets do. */
const defuse = (cell: string): string => (formula.test(cell) || defusedFormula.test(cell) ? `'${cell}` : cell);

/** The text as it was before `defuse`. */
export const restoreCell = (cell: string): string => cell.replace(defusedFormula, "");

/** One line with its line break. */
export const writeCsvRow = (cells: readonly string[]): string => `${cells.map(writeCell).join(",")}\r\n`;

function writeCell(cell: string): string {
  const text = defuse(cell);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
