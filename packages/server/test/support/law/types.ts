// Reads declarations from TypeScript sources as text: exported functions with their parameters, and types with their
// columns. It is not a compiler: it understands the forms that store/ uses and no others.
import type { SourceFile } from "./law.ts";

export type Parameter = { name: string; type: string };
export type ReadFunction = { name: string; parameters: Parameter[] };

/** The exported functions of a file. */
export function functionsIn(text: string): ReadFunction[] {
  const heads = /^export\s+(?:async\s+)?(?:function\s+(\w+)|const\s+(\w+)\s*=\s*(?:async\s*)?(?=[<(]))/gm;
  return [...text.matchAll(heads)].map((head) => {
    const start = text.indexOf("(", head.index + head[0].length);
    const parameters = splitAt(",", textInBrackets(text, start)).filter((part) => part.trim() !== "");
    return { name: (head[1] ?? head[2])!, parameters: parameters.map(toParameter) };
  });
}

function toParameter(text: string): Parameter {
  const [, name = "", type = ""] = /^\s*(\w+|[{[][\s\S]*[}\]])\s*\??\s*(?::([\s\S]*))?$/.exec(text) ?? [];
  return { name: name.trim(), type: splitAt("=", type)[0]!.trim() };
}

const isOpening = (character: string): boolean => "([{<".includes(character);

/** Whether the character closes a bracket; the `>` of an arrow does not. */
const isClosing = (text: string, index: number): boolean =>
  ")]}".includes(text[index]!) || (text[index] === ">" && text[index - 1] !== "=");

/** The text between the bracket at `start` and the one that closes it. */
function textInBrackets(text: string, start: number): string {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if (isOpening(text[index]!)) depth++;
    else if (isClosing(text, index)) depth--;
    if (depth === 0) return text.slice(start + 1, index);
  }
  return text.slice(start + 1);
}

/** The parts between separators outside brackets; an arrow is not an `=`. */
function splitAt(separator: string, text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (isOpening(text[index]!)) depth++;
    else if (isClosing(text, index)) depth--;
    const isSeparator = depth === 0 && text[index] === separator && text[index + 1] !== ">";
    if (!isSeparator) continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  return [...parts, text.slice(start)];
}

/** The types of many files: `typesIn(files)(path, name)` is the text of a type: that of the file, or of another one. */
export function typesIn(files: SourceFile[]): (path: string, name: string) => string | undefined {
  const byName = new Map<string, string>();
  for (const { path, text } of files) {
    for (const head of text.matchAll(/^(?:export )?type (\w+)(?:<[^=]*>)? =/gm)) {
      const type = splitAt(";", text.slice(head.index + head[0].length))[0]!;
      byName.set(`${path} ${head[1]}`, type);
      if (head[0].startsWith("export") || !byName.has(head[1]!)) byName.set(head[1]!, type);
    }
  }
  return (path, name) => byName.get(`${path} ${name}`) ?? byName.get(name);
}

/** Whether rows of a type have a column, which is never null. */
export function hasColumn(
  type: string,
  column: string,
  find: (name: string) => string | undefined,
  seen: string[] = [],
): boolean {
  const text = type
    .trim()
    .replace(/^readonly\s+/, "")
    .replace(/(?:\[\])+$/, "")
    .trim();
  const parts = splitAt("&", text);
  if (parts.length > 1) return parts.some((part) => hasColumn(part, column, find, seen));
  if (text.startsWith("(")) return hasColumn(textInBrackets(text, 0), column, find, seen);
  if (text.startsWith("{")) return splitAt(";", textInBrackets(text, 0)).some((member) => isColumn(member, column));
  const [, wrapper, inside] = /^(\w+)<([\s\S]*)>$/.exec(text) ?? [];
  const [base = "", keys = ""] = splitAt(",", inside ?? "");
  if (wrapper === "Omit") return !keys.includes(`"${column}"`) && hasColumn(base, column, find, seen);
  if (wrapper === "Pick") return keys.includes(`"${column}"`);
  if (wrapper === "Selectable") return hasColumn(base, column, find, seen);
  const [, table] = /^Tables\["(\w+)"\]$/.exec(text) ?? [];
  const named = table === undefined ? find(text) : memberOf(find("Tables") ?? "", table);
  return named !== undefined && !seen.includes(text) && hasColumn(named, column, find, [...seen, text]);
}

const isColumn = (member: string, column: string): boolean =>
  new RegExp(`(?:^|\\s)${column}: string$`).test(member.trim());

function memberOf(type: string, name: string): string | undefined {
  const members = splitAt(";", textInBrackets(type, type.indexOf("{")));
  return members.map((member) => new RegExp(`(?:^|\\s)${name}:([\\s\\S]*)$`).exec(member)?.[1]).find((text) => text);
}
