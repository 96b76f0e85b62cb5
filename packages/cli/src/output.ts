// What commands print: text for people, with colour where the output is a terminal, or one JSON value with --json.
import { styleText } from "node:util";
import type { Io } from "./io.ts";

type Style = Parameters<typeof styleText>[0];

export type Output = {
  isJson: boolean;
  /** A line for people; nothing with --json. */
  line(text?: string): void;
  /** A note in addition to the result: progress, hints. It goes to stderr, so that the result can be piped. */
  note(text: string): void;
  /** The result for programs; printed with --json only. */
  json(value: unknown): void;
  /** Rows in aligned columns under their heads. */
  table(heads: readonly string[], rows: readonly (readonly string[])[]): void;
  style(style: Style, text: string): string;
};

export function createOutput(
  { stdout, stderr, env }: Io,
  { isJson, isQuiet = false }: { isJson: boolean; isQuiet?: boolean },
): Output {
  const hasColor = !isJson && !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || stdout.isTTY === true);
  const style = (kind: Style, text: string) => (hasColor ? styleText(kind, text, { validateStream: false }) : text);
  // Names and messages come from the service: whatever they hold, a terminal gets text and the styles of this program.
  const clean = (text: string) => (hasColor ? keepStyles(text) : plainText(text));
  const line = (text = "") => void (isJson || isQuiet || stdout.write(`${clean(text)}\n`));
  return {
    isJson,
    line,
    note: (text) => void (isQuiet || stderr.write(`${plainText(text)}\n`)),
    json: (value) => void (isJson && stdout.write(`${JSON.stringify(value, null, 2)}\n`)),
    table: (heads, rows) => {
      const cells = rows.map((row) => row.map((cell) => clean(cell).replace(/[\n\t]+/g, " ")));
      for (const row of alignColumns(heads, cells, (text) => style("dim", text))) line(row);
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

/** The ends of lines and tabs stay. Also marks of direction, which make a text read as another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of a message or a name, which may hold anything, without what would move a terminal's cursor or change its
 * colours.
 */
export const plainText = (text: string): string => text.replace(controls, "");

/**
 * Bold, dim and the foreground colours, on and off: what `style` writes. Others, such as hidden text, are removed.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal styles begin with the escape character
const ownStyles = /(\x1b\[(?:1|2|22|3[1-6]|39)m)/;

const keepStyles = (text: string): string =>
  text
    .split(ownStyles)
    .map((part, at) => (at % 2 === 1 ? part : plainText(part)))
    .join("");

/** "1 workflow", "2 workflows". */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
