// Texts of one language as a file: all keys with the text of the default language where none is translated yet, as JSON
// or as CSV with both; and read again. Pure.
import { type Content, textsOf, withEdits } from "./texts.ts";

export type Master = { workflows?: Record<string, Content>; layouts?: Record<string, Content> };
/** A line of a CSV file. */
export type TextLine = { kind: "workflows" | "layouts"; id: string; key: string; text: string };

const kinds = ["workflows", "layouts"] as const;
const isObject = (one: unknown): one is Content => typeof one === "object" && one !== null && !Array.isArray(one);

/** All keys of the default language, with its texts where the language has none, and the keys that only it has. */
export function filledMaster(reference: Master, own: Master): Master {
  const fill = (kind: (typeof kinds)[number]) => {
    const ids = [...new Set([...Object.keys(reference[kind] ?? {}), ...Object.keys(own[kind] ?? {})])].sort();
    return Object.fromEntries(
      ids.map((id) => {
        const source = reference[kind]?.[id] ?? {};
        const texts = [...textsOf(own[kind]?.[id] ?? {})].map(([key, { text }]) => [key, text] as const);
        return [id, withEdits(source, Object.fromEntries(texts), own[kind]?.[id] ?? {})];
      }),
    );
  };
  return { workflows: fill("workflows"), layouts: fill("layouts") };
}

/** `locales`: the default language, and the one of the file. A text that is missing is an empty field. */
export function toCsv(reference: Master, own: Master, [source, target]: readonly [string, string]): string {
  const rows = kinds.flatMap((kind) =>
    [...new Set([...Object.keys(reference[kind] ?? {}), ...Object.keys(own[kind] ?? {})])].sort().flatMap((id) => {
      const [from, to] = [textsOf(reference[kind]?.[id] ?? {}), textsOf(own[kind]?.[id] ?? {})];
      return [...new Set([...from.keys(), ...to.keys()])].map((key) => [
        kind,
        id,
        key,
        from.get(key)?.text ?? "",
        to.get(key)?.text ?? "",
      ]);
    }),
  );
  const header = ["type", "identifier", "key", source, target];
  // The mark at the beginning makes spreadsheets read UTF-8.
  return `\ufeff${[header, ...rows].map((row) => row.map(csvField).join(",")).join("\r\n")}\r\n`;
}

const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** null: not a file of this kind. Lines without a text are left out: that text stays unchanged. */
export function fromCsv(text: string): TextLine[] | null {
  const [header = [], ...rows] = csvRows(text.replace(/^\ufeff/, ""));
  if (header.length !== 5 || header.slice(0, 3).join() !== "type,identifier,key") return null;
  const lines: TextLine[] = [];
  for (const [kind = "", id = "", key = "", , own = ""] of rows) {
    if (kind === "" && id === "") continue;
    if ((kind !== "workflows" && kind !== "layouts") || id === "" || key === "") return null;
    if (own !== "") lines.push({ kind, id, key, text: own });
  }
  return lines;
}

function csvRows(text: string): string[][] {
  // Spreadsheets in some countries write semicolons.
  const separator = /^[^"\r\n,]*;/.test(text) ? ";" : ",";
  const rows: string[][] = [[]];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && field === "") isQuoted = true;
    else if (sign === separator || sign === "\n") {
      rows.at(-1)!.push(field);
      field = "";
      if (sign === "\n") rows.push([]);
    } else if (sign !== "\r") field += sign;
  }
  if (field !== "" || rows.at(-1)!.length > 0) rows.at(-1)!.push(field);
  return rows.filter((row) => row.length > 0);
}

/** The texts after the lines are stored: texts without a line stay, and a new key goes where the default has it. */
export function withLines(lines: readonly TextLine[], own: Master, reference: Master): Master {
  const master: Master = {};
  for (const kind of kinds) {
    const byId = Map.groupBy(
      lines.filter((line) => line.kind === kind),
      ({ id }) => id,
    );
    master[kind] = Object.fromEntries(
      [...byId].map(([id, of]) => {
        const edits = Object.fromEntries(of.map(({ key, text }) => [key, text]));
        return [id, withEdits(own[kind]?.[id] ?? {}, edits, reference[kind]?.[id] ?? {})];
      }),
    );
  }
  return master;
}

export function isMaster(value: unknown): value is Master {
  if (!isObject(value)) return false;
  const { workflows = {}, layouts = {} } = value as Master;
  const members = Object.keys(value);
  return (
    members.length > 0 &&
    members.every((name) => name === "workflows" || name === "layouts") &&
    [workflows, layouts].every((of) => isObject(of) && Object.values(of).every(isObject))
  );
}
