// What the pages of both kinds of imports share: lines in, counts and invalid rows out.
import { type ImportError, importLimits } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { ImportRowCells } from "../../store/subscribers/imports.ts";

export type PageInput = { environmentId: string; columns: string[]; rows: ImportRowCells[]; isDryRun: boolean };
export type PageOutput = { created: number; updated: number; unchanged: number; errors: ImportError[] };

/** Works on the lines of one page; `ctx.db` is the transaction. */
export type ImportPage = (ctx: Ctx, page: PageInput) => Promise<PageOutput>;

/** A line with the values of its cells by field; empty cells are left out. */
export type Line = { row: ImportRowCells; values: Map<string, string> };

/** The lines that can be read, and the errors of those that cannot. */
export function readLines({ columns, rows }: PageInput): { lines: Line[]; errors: ImportError[] } {
  const lines: Line[] = [];
  const errors: ImportError[] = [];
  for (const row of rows) {
    const values = new Map<string, string>();
    for (const [index, cell] of row.cells.entries()) if (cell !== "") values.set(columns[index]!, cell);
    const long = row.cells.findIndex((cell) => cell.length > importLimits.cellCharacters);
    if (row.problem !== undefined) errors.push(faultyLine(row, null, row.problem));
    else if (long !== -1) {
      const message = `The cell is longer than ${importLimits.cellCharacters.toLocaleString("en")} characters: shorten it`;
      errors.push(faultyLine(row, columns[long]!, message));
    } else lines.push({ row, values });
  }
  return { lines, errors };
}

/** The line with what is wrong. Long cells are cut: a report is for reading. */
export const faultyLine = ({ line, cells }: ImportRowCells, column: string | null, message: string): ImportError => ({
  line,
  column,
  message,
  cells: cells.map((cell) => (cell.length > 2_000 ? `${cell.slice(0, 2_000).toWellFormed()}…` : cell)),
});
