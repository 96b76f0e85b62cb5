// The state of one check of a value against a schema, and what keywords do with it: check a part, try a part, note an
// error.
import { canonicalJson, type JsonObject } from "../json.ts";
import { charge } from "../work.ts";

export type SchemaFault = { keyword: string; path: string[]; message: string; schemaPath: string };

/** The state of one check. `path` and `schemaPath`: the current position; `isTrial`: a mismatch is not an error. */
export type Check = {
  root: JsonObject;
  /** The keywords of 2020-12 count. */
  is2020: boolean;
  path: string[];
  schemaPath: string[];
  depth: number;
  isTrial: boolean;
  faults: SchemaFault[];
  /** The interpreter. Keywords reach it through the state, because it is built on them. */
  fits(schema: unknown, value: unknown, check: Check): boolean;
};

const maxFaults = 100;

/** Whether the value fits a part of the schema and, with `key`, a member of the value. */
export function fitsPart(at: string[], schema: unknown, value: unknown, check: Check, key?: string): boolean {
  check.schemaPath.push(...at);
  if (key !== undefined) check.path.push(key);
  const isFit = check.fits(schema, value, check);
  if (key !== undefined) check.path.pop();
  check.schemaPath.length -= at.length;
  return isFit;
}

/** Whether a part fits, without errors and defaults. */
export function fitsTrial(schema: unknown, value: unknown, check: Check): boolean {
  return check.fits(schema, value, { ...check, isTrial: true, faults: [] });
}

export function fail(check: Check, keyword: string, message: string, ...at: string[]): false {
  if (check.faults.length < maxFaults) {
    const schemaPath = ["#", ...check.schemaPath, ...(at.length > 0 ? at : [keyword])].join("/");
    check.faults.push({ keyword, path: [...check.path], message, schemaPath });
  }
  return false;
}

/** JSON values are equal when their canonical texts are. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    charge(1 + (typeof a === "string" ? a.length / 16 : 0));
    return a === b;
  }
  const text = canonicalJson(b);
  charge(10 + 4 * text.length);
  return canonicalJson(a) === text;
}
