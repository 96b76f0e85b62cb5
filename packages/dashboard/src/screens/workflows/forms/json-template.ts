// JSON text with variables, and JSON Schemas from samples. Pure.
import { jsonFault } from "../../../fields/json-fault.ts";

/**
 * What is wrong with a text that should be JSON once its variables have values; empty where nothing is. A text with
 * tags such as `{% for %}` can be anything, and is not checked.
 */
export function templateFault(text: string): string {
  if (text.trim() === "" || text.includes("{%")) return "";
  let filled = "";
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith("{{", at)) {
      const end = text.indexOf("}}", at);
      if (end < 0) return jsonFault(filled + text.slice(at));
      // Lines keep their numbers.
      const lines = text.slice(at, end).replace(/[^\n]/g, "");
      filled += isString ? "x" : `0${lines}`;
      at = end + 1;
      continue;
    }
    if (isString && text[at] === "\\") {
      filled += text.slice(at, at + 2);
      at++;
      continue;
    }
    if (text[at] === '"') isString = !isString;
    filled += text[at];
  }
  return jsonFault(filled);
}

/** The JSON Schema of a value, with the types of its members. */
export function schemaOf(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) return { type: "array", ...(value.length > 0 && { items: schemaOf(value[0]) }) };
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => [name, schemaOf(member)] as const);
    return { type: "object", properties: Object.fromEntries(members) };
  }
  if (value === null) return {};
  return { type: Number.isInteger(value) ? "integer" : typeof value };
}
