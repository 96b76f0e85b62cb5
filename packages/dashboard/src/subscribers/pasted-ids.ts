// Ids of subscribers as people paste them, or as a CSV file has them. Pure.

/** Out of a column, a list in code, or a sentence. Each id once, in the order of the text. */
export const idsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((id) => id.replace(/^["']|["']$/g, ""))
      .filter(Boolean),
  ),
];

/** Whether a file was text in UTF-8, and not a spreadsheet or a picture, say. */
export const isText = (content: string): boolean => !/[\0\uFFFD]/.test(content);

const separators = [",", ";", "\t"];
const idColumns = ["subscriberid", "subscriber id", "subscriber_id", "id", "user id", "user_id", "userid"];

/** The cells of one line; a cell in quotes may have separators and doubled quotes. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (char === '"' && isQuoted && line[at + 1] === '"') {
      cell += char;
      at++;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === separator && !isQuoted) {
      cells.push(cell);
      cell = "";
    } else cell += char;
  }
  return [...cells, cell].map((each) => each.trim());
}

/**
 * The ids of a CSV file: those of the column that is named like one, else those of the first column. `column`: its
 * name; null where the first line has no names.
 */
export function idsInCsv(text: string): { ids: string[]; column: string | null } {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const head = lines[0] ?? "";
  const separator = separators.toSorted((a, b) => head.split(b).length - head.split(a).length)[0]!;
  const names = cellsOf(head, separator);
  const found = names.findIndex((name) => idColumns.includes(name.toLowerCase()));
  const rows = found === -1 ? lines : lines.slice(1);
  const ids = rows.map((line) => cellsOf(line, separator)[Math.max(0, found)] ?? "").filter(Boolean);
  return { ids: [...new Set(ids)], column: found === -1 ? null : names[found]! };
}
