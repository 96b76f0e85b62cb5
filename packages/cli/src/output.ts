// What commands print: text for people, with colour where the output is a terminal, or one JSON value with --json.
import { styleText } from "node:util";
import type { Io } from "./io.ts";

type Style = Parameters<typeof styleText>[0];

export type Output = {
  isJson: boolean;
  /** A line for people; nothing with --json. */
  line(text?: string): void;
  /** A note beside the result: progress, hints. It goes to stderr, so that the result can be piped. */
  note(text: string): void;
  /** The result for programs; printed with --json only. */
  json(value: unknown): void;
  /** Rows in aligned columns under their heads. */
  table(heads: readonly string[], rows: readonly (readonly string[])[]): void;
  style(style: Style, text: string): string;
};

export function createOutput({ stdout, stderr, env }: Io, { isJson }: { isJson: boolean }): Output {
  const hasColor = !isJson && !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || stdout.isTTY === true);
  const style = (kind: Style, text: string) => (hasColor ? styleText(kind, text, { validateStream: false }) : text);
  const line = (text = "") => void (isJson || stdout.write(`${text}\n`));
  return {
    isJson,
    line,
    note: (text) => void stderr.write(`${text}\n`),
    json: (value) => void (isJson && stdout.write(`${JSON.stringify(value, null, 2)}\n`)),
    table: (heads, rows) => {
      for (const row of alignColumns(heads, rows, (text) => style("dim", text))) line(row);
    },
    style,
  };
}

/** Widths are those of the text; styles are added around whole cells afterwards. */
function alignColumns(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  dim: (text: string) => string,
): string[] {
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => widthOf(row[at] ?? ""))));
  const draw = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell + " ".repeat(at === heads.length - 1 ? 0 : widths[at]! - widthOf(cell) + 2))
      .join("")
      .trimEnd();
  return [dim(draw(heads)), ...rows.map(draw)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal styles begin with the escape character
const styles = /\x1b\[[0-9;]*m/g;
const widthOf = (text: string): number => text.replace(styles, "").length;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Text of a message or a name, which may hold anything, without what would move a terminal's cursor or change its colours. */
export const plainText = (text: string): string => text.replace(controls, "");

/** "1 workflow", "2 workflows". */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
