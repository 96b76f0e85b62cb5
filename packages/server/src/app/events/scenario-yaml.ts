// JSON values as YAML 1.2 in block style. Texts that YAML could read as something else are in double quotes, written as JSON:
// every JSON string is a YAML string.
import type { JsonObject } from "@tidings/contract";

export const toYaml = (value: JsonObject): string => `${writeMembers(value, "")}\n`;

const indentation = "  ";

function writeMembers(value: JsonObject, indent: string): string {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${indent}${writeText(name)}:${writeBehind(member, indent)}`)
    .join("\n");
}

/** What stands behind a colon: on the same line, or indented on the next ones. */
function writeBehind(value: unknown, indent: string): string {
  if (isFilledList(value)) return `\n${value.map((item) => writeItem(item, `${indent}${indentation}`)).join("\n")}`;
  if (isFilledObject(value)) return `\n${writeMembers(value, `${indent}${indentation}`)}`;
  if (typeof value === "string" && isBlock(value)) return ` ${writeBlock(value, `${indent}${indentation}`)}`;
  return ` ${writeScalar(value)}`;
}

/** The first member of an object stands on the line of its dash. */
function writeItem(value: unknown, indent: string): string {
  const inner = `${indent}${indentation}`;
  if (isFilledObject(value)) return `${indent}- ${writeMembers(value, inner).slice(inner.length)}`;
  if (isFilledList(value)) return `${indent}-\n${value.map((item) => writeItem(item, inner)).join("\n")}`;
  return `${indent}- ${writeScalar(value)}`;
}

const isFilledList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

const isFilledObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

const writeScalar = (value: unknown): string =>
  typeof value === "string" ? writeText(value) : value === undefined ? "null" : JSON.stringify(value);

/** Begins with a letter and has nothing that YAML gives a meaning; all words that it reads as values are left out. */
const plain = /^[A-Za-z][\w ./@+-]*$/;
const words = /^(?:true|false|yes|no|on|off|y|n|null|inf|nan)$/i;

const writeText = (text: string): string =>
  plain.test(text) && !text.endsWith(" ") && !words.test(text)
    ? text
    : JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, escapeSign);

const escapeSign = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Lines of readable text, which a literal block shows as they are. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they cannot stand in a block
const unreadable = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]/;

const isBlock = (text: string): boolean =>
  text.includes("\n") && !unreadable.test(text) && !/^[\s]|\n$|[ ]\n|\n[ ]*\n[ ]*$/.test(text) && text.trim() === text;

const writeBlock = (text: string, indent: string): string =>
  `|-\n${text
    .split("\n")
    .map((line) => (line === "" ? "" : `${indent}${line}`))
    .join("\n")}`;
