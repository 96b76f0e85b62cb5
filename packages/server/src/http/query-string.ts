// Query strings, bounded by the size of a request's head and nothing else: none of their parameters is dropped. Repeated parameters become lists; `name[]=` and `name[0]=` mean the same as repeating `name`.
import { parse } from "node:querystring";

export function parseQueryString(text: string): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = Object.create(null);
  for (const [rawName, value] of Object.entries(parse(text, "&", "=", { maxKeys: 0 }))) {
    if (value === undefined) continue;
    const name = rawName.replace(/\[\d*\]$/, "");
    const values = Array.isArray(value) ? value : [value];
    const before = result[name];
    if (Array.isArray(before)) before.push(...values);
    else if (before !== undefined) result[name] = [before, ...values];
    else result[name] = name === rawName && values.length === 1 ? values[0]! : values;
  }
  return result;
}
