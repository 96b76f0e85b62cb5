// The files of migrations, and the marks in their comments (CONTRIBUTING.md has the rules for their authors).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

export type Migration = {
  version: number;
  name: string;
  text: string;
  checksum: string;
  /** One statement that PostgreSQL refuses in a transaction, such as `create index concurrently`. */
  isAlone: boolean;
  /** What it removes, and the release since which no program uses it. */
  contracts: Contract[];
};

type Contract = { what: string; since: string };

const folder = new URL("../migrations/", import.meta.url);

export function readMigrations(from: URL = folder): Migration[] {
  return readdirSync(from)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => toMigration(file.replace(/\.sql$/, ""), readFileSync(new URL(file, from), "utf8")));
}

export function toMigration(name: string, text: string): Migration {
  return {
    version: Number.parseInt(name, 10),
    name,
    text,
    checksum: createHash("sha256").update(text).digest("hex"),
    isAlone: /^-- without a transaction$/m.test(text),
    contracts: [...text.matchAll(/^-- contract: (.+), unused since (\d+\.\d+\.\d+)$/gm)].map(([, what, since]) => ({
      what: what!,
      since: since!,
    })),
  };
}
