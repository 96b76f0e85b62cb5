// Reads an imported file: which column sets which field, and the lines in pages. Errors of the file as a whole refuse
// it; errors of a line are kept with the line.
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ImportKind, importColumns, importLimits } from "@tidings/contract";
import { type CsvRow, type CsvSeparator, detectSeparator, readCsv, restoreCell } from "../../lib/text/csv.ts";
import type { ImportRowCells } from "../../store/subscribers/imports.ts";
import { linesPerPage } from "../tasks.ts";

/** What the report of invalid rows adds, so that the corrected report can be imported unchanged. */
const ignoredColumns = ["line", "problem"];

const requiredColumns: Record<ImportKind, string[]> = {
  subscribers: ["subscriberId"],
  subscriptions: ["topicKey", "subscriberId"],
};

/** The columns that decide whether two lines are about the same record. */
const keyColumns: Record<ImportKind, string[]> = {
  subscribers: ["subscriberId"],
  subscriptions: ["topicKey", "subscriberId", "identifier"],
};

export type Column = { header: string; field: string | null; problem?: string };

/** Case, spaces, `_` and `-` in a header do not count: `First Name` and `first_name` are `firstName`. */
const looseName = (header: string): string => header.toLowerCase().replaceAll(/[\s_-]/g, "");

function readColumns(kind: ImportKind, headers: string[]): { columns: Column[]; problems: string[] } {
  const known = new Map(importColumns[kind].map((name) => [looseName(name), name as string]));
  const names = [...importColumns[kind], ...(kind === "subscribers" ? ["data.<name>"] : [])].join(", ");
  const problems: string[] = [];
  const seen = new Set<string>();
  const columns = headers.map((cell): Column => {
    const header = cell.trim();
    const refuse = (problem: string): Column => {
      problems.push(problem);
      return { header, field: null, problem };
    };
    if (ignoredColumns.includes(looseName(header))) return { header, field: null };
    const field = known.get(looseName(header)) ?? dataField(kind, header);
    if (field === undefined) return refuse(`Column '${header.slice(0, 100)}' is unknown. Known columns: ${names}`);
    if (seen.has(field)) return refuse(`Column '${field}' occurs twice: remove one of them`);
    seen.add(field);
    return { header, field };
  });
  for (const name of requiredColumns[kind]) {
    if (!seen.has(name)) problems.push(`Column '${name}' is missing: add it to the first line`);
  }
  if (headers.length > importLimits.columns)
    problems.push(`The first line has more than ${importLimits.columns} columns`);
  return { columns, problems };
}

function dataField(kind: ImportKind, header: string): string | undefined {
  const [, name] = /^data\.\s*(.{1,255})$/is.exec(header) ?? [];
  return kind === "subscribers" && name !== undefined && name !== "__proto__" ? `data.${name}` : undefined;
}

const sampleRows = 10;

/** How the beginning of a file is read; a line that the beginning cuts off is left out. */
export function previewFile(kind: ImportKind, text: string) {
  const separator = detectSeparator(text);
  const rows: CsvRow[] = [];
  for (const row of readCsv(text, separator)) {
    if (!row.isOpen) rows.push(row);
    if (rows.length > sampleRows) break;
  }
  const [header, ...lines] = rows;
  if (!header) return { separator, columns: [], rows: [], problems: ["The file has no first line with column names"] };
  return { separator, ...readColumns(kind, header.cells), rows: lines.map(({ cells }) => cells.map(restoreCell)) };
}

export type ImportFile = {
  separator: CsvSeparator;
  columns: string[];
  pages: ImportRowCells[][];
  lines: number;
  problems: string[];
};

/**
 * Lines between two turns of the event loop: a file of 10 MB takes some 100 ms, which other requests should not wait.
 */
const linesPerTurn = 2_000;

/** Reads the whole file. `problems`: why it is refused. */
export async function readImportFile(kind: ImportKind, text: string): Promise<ImportFile> {
  const separator = detectSeparator(text);
  const rows = readCsv(text, separator);
  const header = rows.next();
  const file: ImportFile = { separator, columns: [], pages: [], lines: 0, problems: [] };
  if (header.done || header.value.isOpen) {
    return { ...file, problems: ["The first line has no column names, or a quote that is not closed"] };
  }
  const { columns, problems } = readColumns(kind, header.value.cells);
  file.columns = columns.map(({ field, header }) => field ?? header);
  if (problems.length > 0) return { ...file, problems };
  const checkLine = createLineCheck(kind, file.columns);
  for (const row of rows) {
    if (file.lines % linesPerPage === 0) file.pages.push([]);
    file.pages.at(-1)!.push(checkLine(row));
    file.lines++;
    if (file.lines > importLimits.lines) break;
    if (file.lines % linesPerTurn === 0) await nextTurn();
  }
  if (file.lines === 0) file.problems = ["The file has no line below the column names"];
  return file;
}

/** Errors that show only in the file: of its cells, and lines about the same record. */
function createLineCheck(kind: ImportKind, columns: string[]): (row: CsvRow & { isOpen?: true }) => ImportRowCells {
  const firstLines = new Map<string, number>();
  const keyAt = keyColumns[kind].map((name) => columns.indexOf(name));
  return ({ line, cells: raw, isOpen }) => {
    const cells = raw.slice(0, columns.length).map((cell) =>
      restoreCell(cell.trim())
        .slice(0, importLimits.cellCharacters + 1)
        // The cut may divide a pair of surrogates.
        .toWellFormed(),
    );
    if (isOpen)
      return {
        line,
        cells: cells.map((cell) => cell.slice(0, 200).toWellFormed()),
        problem: "A quote is opened and not closed",
      };
    const tooMany = raw.slice(columns.length).some((cell) => cell.trim() !== "");
    if (tooMany) {
      const problem = `The line has ${raw.length} cells, but the first line names ${columns.length} columns: put cells with a separator in quotes`;
      return { line, cells, problem };
    }
    const key = JSON.stringify(keyAt.map((at) => cells[at] ?? ""));
    const first = firstLines.get(key);
    if (first !== undefined)
      return { line, cells, problem: `Line ${first} is about the same record: keep one of them` };
    firstLines.set(key, line);
    return { line, cells };
  };
}
