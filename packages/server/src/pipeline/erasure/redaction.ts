// What an erasure does with the values of a row: texts, JSON, and encrypted parts of both, which are opened, changed
// and encrypted again.
import { isObject } from "../../lib/json.ts";
import {
  createRedactor,
  type Person,
  type Redactor,
  type SearchPatterns,
  searchPatterns,
} from "../../lib/personal/personal-texts.ts";
import { isSealedText, openText, sealText } from "../../lib/sealed.ts";
import type { Secrets } from "../../lib/secrets.ts";
import type { Db } from "../../store/db.ts";
import type { ScanKey, ScannedRow, ScannedTable } from "../../store/subscribers/erasure-scans.ts";

export type ErasureTools = {
  db: Db;
  environmentId: string;
  secrets: Secrets;
  person: Person;
  pseudonym: string;
  /** The internal id that the rows of the person get. */
  shell: string;
  patterns: SearchPatterns;
  /** For all rows, and for rows about the person. */
  everywhere: Redactor;
  about: Redactor;
};

export type ToolsOf = Pick<ErasureTools, "db" | "environmentId" | "secrets" | "person" | "pseudonym" | "shell">;

const hashPurpose = "erased key";

export function createTools(given: ToolsOf): ErasureTools {
  const { secrets, person, pseudonym } = given;
  const hash = (text: string) => secrets.hashes(hashPurpose, text)[0]!.replaceAll(/[-_]/g, "");
  return {
    ...given,
    patterns: searchPatterns(person),
    everywhere: createRedactor(person, { pseudonym, hash, isAbout: false }),
    about: createRedactor(person, { pseudonym, hash, isAbout: true }),
  };
}

/** What a page becomes. `also`: rows of other tables that went with it. */
type Outcome = { changed: ScannedRow[]; deleted: ScanKey[]; also?: Record<string, number> };
export type Rewrite = (tools: ErasureTools, rows: ScannedRow[], table: ScannedTable) => Outcome | Promise<Outcome>;

const sealedValue = /^v\d+\.[\w-]{38,}$/;

/** The value of an encrypted text; undefined when it is none, or its key is gone. */
function open(secrets: Secrets, text: string): { value: unknown; seal: (value: unknown) => string } | undefined {
  try {
    if (isSealedText(text)) {
      const clear = openText(secrets, text);
      const json = parse(clear);
      const isJson = typeof json === "object" && json !== null;
      return {
        value: isJson ? json : clear,
        seal: (value) => sealText(secrets, isJson ? JSON.stringify(value) : String(value)),
      };
    }
    if (!sealedValue.test(text)) return undefined;
    return { value: JSON.parse(secrets.decrypt(text)), seal: (value) => secrets.encrypt(JSON.stringify(value)) };
  } catch {
    return undefined;
  }
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The value without the person, encrypted parts included. */
export function redact(secrets: Secrets, redactor: Redactor, value: unknown): unknown {
  if (typeof value === "string") {
    const opened = open(secrets, value);
    if (!opened) return redactor.json(value);
    const changed = redact(secrets, redactor, opened.value);
    return isSame(changed, opened.value) ? value : opened.seal(changed);
  }
  const sealed = new Map<string, string>();
  collectSealed(secrets, redactor, value, sealed);
  return replaceTexts(redactor.json(value), sealed);
}

/** Encrypted texts inside a value, with what they become. */
function collectSealed(secrets: Secrets, redactor: Redactor, value: unknown, found: Map<string, string>): void {
  if (typeof value === "string") {
    if (isSealedText(value) || sealedValue.test(value)) found.set(value, redact(secrets, redactor, value) as string);
  } else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) collectSealed(secrets, redactor, member, found);
  }
}

function replaceTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (texts.size === 0) return value;
  if (typeof value === "string") return texts.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, texts));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceTexts(member, texts)]));
}

/** `value` opened where it is encrypted as a whole. */
export function openAny(secrets: Secrets, value: unknown): unknown {
  return typeof value === "string" ? (open(secrets, value)?.value ?? value) : value;
}

/** The row with its scanned columns redacted; null when nothing changes. Keys must stay different from each other. */
export function redactRow(
  { secrets, everywhere, about }: ErasureTools,
  row: ScannedRow,
  { columns, key }: ScannedTable,
): ScannedRow | null {
  const names = Object.keys(columns);
  const isAbout =
    row.is_own || row.is_about || names.some((name) => everywhere.names({ [name]: openAny(secrets, row[name]) }));
  const redactor = isAbout ? about : everywhere;
  const changed = names.map((name) => {
    const value = row[name];
    if (value === null || value === undefined) return [name, null];
    const isKey = name in key || name === "transaction_id";
    return [name, isKey ? everywhere.key(String(value)) : redact(secrets, redactor, value)];
  });
  const isChanged = changed.some(([name, value]) => !isSame(value, row[name as string] ?? null));
  return isChanged ? { ...row, ...Object.fromEntries(changed) } : null;
}

/** Redacts every row. */
export const redactRows: Rewrite = (tools, rows, table) => ({
  changed: rows.flatMap((row) => redactRow(tools, row, table) ?? []),
  deleted: [],
});

/** Deletes the rows of the person, and redacts the others. */
export const deleteOwn: Rewrite = (tools, rows, table) => ({
  changed: rows.flatMap((row) => (row.is_own ? [] : (redactRow(tools, row, table) ?? []))),
  deleted: rows.filter((row) => row.is_own).map((row) => row.at),
});
