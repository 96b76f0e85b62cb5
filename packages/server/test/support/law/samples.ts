// Samples that the law is tested with: each breaks one rule, or shows what is allowed next to it.
import type { Law } from "./law.ts";

export const noExceptions: Law = {
  longFiles: {},
  largeFolders: {},
  withoutEnvironment: {},
  installationUsers: {},
  sourceReaders: {},
};

/**
 * Paths are below packages/, or begin with scripts/ or bench/. `others`: files in addition to the one with the error,
 * by path, with their texts.
 */
export type Sample = {
  name: string;
  path: string;
  text: string;
  others?: Record<string, string>;
  fault?: RegExp;
  law?: Law;
};

const tables =
  "export type Tables = { a: ATable; b: { id: string } };\ntype ATable = { id: string; environment_id: string };";

const crowd = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`contract/src/n/file-${n}.ts`, "export {};"]));

export const samples: Sample[] = [
  { name: "http may import app", path: "server/src/http/a.ts", text: 'import { a } from "../app/a.ts";' },
  { name: "http may import store", path: "server/src/http/a.ts", text: 'import { a } from "../store/db.ts";' },
  { name: "app may import pipeline", path: "server/src/app/a.ts", text: 'import { a } from "../pipeline/rules/a.ts";' },
  { name: "a layer may import itself", path: "server/src/app/a.ts", text: 'import { a } from "./b.ts";' },
  {
    name: "pipeline may import a root file",
    path: "server/src/pipeline/steps/a.ts",
    text: 'import { a } from "../../failure.ts";',
  },
  { name: "the wiring may import all", path: "server/src/service.ts", text: 'import { a } from "./http/server.ts";' },
  {
    name: "providers may import the contract",
    path: "providers/src/a.ts",
    text: 'import { a } from "@tidings/contract";',
  },
  {
    name: "app may not import http",
    path: "server/src/app/a.ts",
    text: 'import { a } from "../http/errors.ts";',
    fault: /app may not import http/,
  },
  {
    name: "pipeline may not import app",
    path: "server/src/pipeline/steps/a.ts",
    text: 'import type { A } from "../../app/a.ts";',
    fault: /pipeline may not import app/,
  },
  {
    name: "store may not import a root file",
    path: "server/src/store/a.ts",
    text: 'import { failure } from "../failure.ts";',
    fault: /store may not import root/,
  },
  {
    name: "store may not import pipeline, not even when it exports again",
    path: "server/src/store/a.ts",
    text: 'export { a } from "../pipeline/a.ts";',
    fault: /store may not import pipeline/,
  },
  {
    name: "lib may not import store, not even late",
    path: "server/src/lib/a.ts",
    text: 'const a = await import("../store/db.ts");',
    fault: /lib may not import store/,
  },
  {
    name: "an import over several lines",
    path: "server/src/lib/a.ts",
    text: 'import {\n  a,\n  b,\n} from "../app/a.ts";',
    fault: /lib may not import app/,
  },
  {
    name: "root files may not import app",
    path: "server/src/validation.ts",
    text: 'import { a } from "./app/a.ts";',
    fault: /root may not import app/,
  },
  {
    name: "http may not import the wiring",
    path: "server/src/http/a.ts",
    text: 'import { a } from "../service.ts";',
    fault: /http may not import wiring/,
  },
  {
    name: "new files at the root",
    path: "server/src/helpers.ts",
    text: "export {};",
    fault: /unknown root file helpers\.ts/,
  },
  {
    name: "the contract imports no package of ours",
    path: "contract/src/a.ts",
    text: 'import { a } from "@tidings/providers";',
    fault: /which it may not/,
  },
  {
    name: "providers import only the contract",
    path: "providers/src/a.ts",
    text: 'import { a } from "@tidings/server";',
    fault: /which it may not/,
  },
  {
    name: "store does not import providers",
    path: "server/src/store/a.ts",
    text: 'import { a } from "@tidings/providers";',
    fault: /which it may not/,
  },
  {
    name: "packages do not reach into each other",
    path: "providers/src/a.ts",
    text: 'import { a } from "../../contract/src/errors.ts";',
    fault: /by its name/,
  },
  {
    name: "nor through their names",
    path: "server/src/app/a.ts",
    text: 'import { a } from "@tidings/contract/src/errors.ts";',
    fault: /which it may not/,
  },
  {
    name: "SQL outside the store",
    path: "server/src/app/a.ts",
    text: 'import { sql } from "kysely";',
    fault: /SQL lives in store/,
  },
  {
    name: "a query on the database of a context",
    path: "server/src/service.ts",
    text: 'const rows = await ctx.db.selectFrom("installation").selectAll().execute();',
    fault: /queries are written in store/,
  },
  {
    name: "a query over several lines",
    path: "server/src/app/a.ts",
    text: 'await tx\n  .insertInto("subscribers")\n  .values(rows)\n  .execute();',
    fault: /line 2: queries are written in store/,
  },
  {
    name: "pg outside the store",
    path: "server/src/lib/a.ts",
    text: 'import pg from "pg";',
    fault: /SQL lives in store/,
  },
  {
    name: "SQL in the store",
    path: "server/src/store/a.ts",
    text: 'import { sql } from "kysely";\nimport pg from "pg";',
  },
  {
    name: "the environment outside the settings",
    path: "server/src/lib/a.ts",
    text: "const a = 1;\nconst b = process.env.HOME;",
    fault: /line 2: process\.env/,
  },
  { name: "the environment in the settings", path: "server/src/config.ts", text: "const b = process.env;" },
  {
    name: "a notification in a transaction",
    path: "server/src/store/a.ts",
    text: "await sql`select pg_notify('a', 'b')`.execute(tx);",
    fault: /line 1: NOTIFY/,
  },
  {
    name: "a NOTIFY statement",
    path: "server/src/store/a.ts",
    text: "await sql`notify channel`.execute(tx);",
    fault: /line 1: NOTIFY/,
  },
  {
    name: "a notification on the connection for it",
    path: "server/src/store/queue/listen.ts",
    text: 'const statement = "select pg_notify($1, $2)";',
  },
  { name: "the console", path: "contract/src/a.ts", text: '  console.log("x");', fault: /line 1: console/ },
  { name: "a word about the console", path: "contract/src/a.ts", text: "// console.log would not do" },
  { name: "unfinished work", path: "contract/src/a.ts", text: "// TODO later", fault: /line 1: finish it/ },
  { name: "broken work", path: "contract/src/a.ts", text: "const a = 1; // FIXME", fault: /line 1: finish it/ },
  { name: "a file of 400 lines", path: "contract/src/a.ts", text: "a;\n".repeat(400) },
  { name: "a file of 401 lines", path: "contract/src/a.ts", text: "a;\n".repeat(401), fault: /has 401 lines/ },
  { name: "a long generated file", path: "contract/src/a.gen.ts", text: "a;\n".repeat(500) },
  {
    name: "a long file with a reason",
    path: "contract/src/a.ts",
    text: "a;\n".repeat(500),
    law: { ...noExceptions, longFiles: { "packages/contract/src/a.ts": "data" } },
  },
  {
    name: "a store function that is told the environment",
    path: "server/src/store/a.ts",
    text: "export const find = (db: Db, environmentId: string, id: string) => db;\nexport const pure = (id: string) => id;",
  },
  {
    name: "a store function that is not",
    path: "server/src/store/a.ts",
    text: "export async function find(db: Db, id: string): Promise<Row> {}",
    fault: /find\(\) is not told the environment/,
  },
  {
    name: "a store function that is not, whatever its database is called",
    path: "server/src/store/a.ts",
    text: "export async function find(connection: Db, id: string): Promise<Row> {}",
    fault: /find\(\) is not told the environment/,
  },
  {
    name: "a store function that is told it too late",
    path: "server/src/store/a.ts",
    text: "export const find = async <T extends { a: [string, T] }>(\n  tx: Tx,\n  id: string,\n  environmentId: string,\n) => {};",
    fault: /find\(\) is not told the environment/,
  },
  {
    name: "a store function with a reason",
    path: "server/src/store/a.ts",
    text: "export async function find(db: Db, id: string) {}",
    law: { ...noExceptions, withoutEnvironment: { find: "internal" } },
  },
  {
    name: "an exception that no function needs",
    path: "server/src/store/a.ts",
    text: "export {};",
    law: { ...noExceptions, withoutEnvironment: { gone: "internal" } },
    fault: /gone is excepted and does not exist/,
  },
  {
    name: "rows that carry their environment",
    path: "server/src/store/a.ts",
    text: 'type Row = Selectable<Tables["a"]>;\nexport type NewRow = Omit<Row, "deleted_at">;\nexport const insert = (db: Db, rows: readonly NewRow[]) => db;',
    others: { "server/src/store/tables.ts": tables },
  },
  {
    name: "rows of an intersection that carry their environment",
    path: "server/src/store/a.ts",
    text: "type Key = { environment_id: string; b: string };\nexport const insert = (db: Db, rows: (Key & { at: Date })[]) => db;",
  },
  {
    name: "rows of a table without an environment",
    path: "server/src/store/a.ts",
    text: 'export const insert = (db: Db, row: Selectable<Tables["b"]>) => db;',
    others: { "server/src/store/tables.ts": tables },
    fault: /insert\(\) is not told the environment/,
  },
  {
    name: "rows whose environment was left out",
    path: "server/src/store/a.ts",
    text: 'type Row = Selectable<Tables["a"]>;\nexport const insert = (db: Db, row: Omit<Row, "environment_id">) => db;',
    others: { "server/src/store/tables.ts": tables },
    fault: /insert\(\) is not told the environment/,
  },
  {
    name: "environments of an organisation",
    path: "server/src/store/environments/a.ts",
    text: "export const list = (db: Db, organizationId: string) => db;",
  },
  {
    name: "other rows of an organisation",
    path: "server/src/store/messages/a.ts",
    text: "export const list = (db: Db, organizationId: string) => db;",
    fault: /list\(\) is not told the environment/,
  },
  {
    name: "a batch of many environments",
    path: "server/src/store/messages/a.batch.ts",
    text: "export const find = (db: Db, ids: string[]) => db;",
  },
  {
    name: "pipeline and batches",
    path: "server/src/pipeline/a.ts",
    text: 'import { a } from "../store/a.batch.ts";',
  },
  {
    name: "app and batches",
    path: "server/src/app/messages/a.ts",
    text: 'import { a } from "../../store/a.batch.ts";',
    fault: /only pipeline\/ works on many environments at once/,
  },
  {
    name: "http and batches, types as well",
    path: "server/src/http/a.ts",
    text: 'import type { A } from "../store/a.batch.ts";',
    fault: /only pipeline\/ works on many environments at once/,
  },
  {
    name: "store functions of one environment and batches",
    path: "server/src/store/a.ts",
    text: 'import { a } from "./a.batch.ts";',
    fault: /only pipeline\/ works on many environments at once/,
  },
  {
    name: "the installation",
    path: "server/src/store/installation/a.ts",
    text: "export const purge = (db: Db, before: Date) => db;",
  },
  {
    name: "a file that works for the whole installation",
    path: "server/src/pipeline/a.ts",
    text: 'import { a } from "../store/installation/a.ts";',
    law: { ...noExceptions, installationUsers: { "packages/server/src/pipeline/a.ts": "purges" } },
  },
  {
    name: "a file that does not",
    path: "server/src/pipeline/a.ts",
    text: 'import { a } from "../store/installation/a.ts";',
    fault: /it is for the whole installation/,
  },
  {
    name: "a cycle of two components",
    path: "dashboard/src/kit/a.tsx",
    text: 'import { B } from "./b.tsx";',
    others: { "dashboard/src/kit/b.tsx": 'import { A } from "./a.tsx";' },
    fault: /a\.tsx: import cycle kit\/a\.tsx → kit\/b\.tsx → kit\/a\.tsx/,
  },
  {
    name: "a screen that is loaded later and imports its route",
    path: "dashboard/src/screens/a/a-screen.tsx",
    text: 'import { aRoute } from "./routes.ts";',
    others: { "dashboard/src/screens/a/routes.ts": 'const screen = () => import("./a-screen.tsx");' },
    fault: /import cycle/,
  },
  {
    name: "a screen and what screens share",
    path: "dashboard/src/screens/a/a-screen.tsx",
    text: 'import { A } from "../../kit/a.tsx";\nimport { shell } from "../../app/shell.tsx";\nimport "./b/b.ts";',
  },
  {
    name: "a screen and another screen",
    path: "dashboard/src/screens/a/a-screen.tsx",
    text: 'import { B } from "../b/b.tsx";',
    fault: /the screen a may not import the screen b/,
  },
  {
    name: "a screen and a style sheet of another",
    path: "dashboard/src/screens/a/b/a.tsx",
    text: 'import css from "../../c/c.module.css";',
    fault: /the screen a may not import the screen c/,
  },
  {
    name: "kit and app",
    path: "dashboard/src/kit/inputs/a.tsx",
    text: 'import { shell } from "../../app/shell.tsx";',
    fault: /kit may not import app/,
  },
  {
    name: "api and screens",
    path: "dashboard/src/api/a.ts",
    text: 'import { routes } from "../screens/index.ts";',
    fault: /api may not import screens/,
  },
  ...["fields", "outcomes", "drafts", "email"].map((room) => ({
    name: `${room} and a screen`,
    path: `dashboard/src/${room}/a.ts`,
    text: 'import type { A } from "../screens/a/a.ts";',
    fault: new RegExp(`${room} may not import screens`),
  })),
  {
    name: "app and the list of screens",
    path: "dashboard/src/app/router.tsx",
    text: 'import { routes } from "../screens/index.ts";',
  },
  {
    name: "a cycle of two files, through types",
    path: "contract/src/a.ts",
    text: 'import type { B } from "./b.ts";',
    others: { "contract/src/b.ts": 'import { a } from "./a.ts";' },
    fault: /a\.ts: import cycle a\.ts → b\.ts → a\.ts/,
  },
  {
    name: "a cycle of three files, through a re-export",
    path: "server/src/lib/a.ts",
    text: 'export { b } from "./b.ts";',
    others: {
      "server/src/lib/b.ts": 'import { c } from "./c/c.ts";',
      "server/src/lib/c/c.ts": 'const a = await import("../a.ts");',
    },
    fault: /import cycle lib\/a\.ts → lib\/b\.ts → lib\/c\/c\.ts → lib\/a\.ts/,
  },
  {
    name: "two ways to one file",
    path: "contract/src/a.ts",
    text: 'import { b } from "./b.ts";\nimport { c } from "./c.ts";',
    others: { "contract/src/b.ts": 'import { c } from "./c.ts";', "contract/src/c.ts": "export const c = 1;" },
  },
  { name: "a folder of 25 files", path: "contract/src/n/a.ts", text: "export {};", others: crowd(24) },
  {
    name: "a folder of 26 files",
    path: "contract/src/n/a.ts",
    text: "export {};",
    others: crowd(25),
    fault: /packages\/contract\/src\/n: has 26 files/,
  },
  {
    name: "a folder of 26 files, one of them generated",
    path: "contract/src/n/a.gen.ts",
    text: "export {};",
    others: crowd(25),
  },
  {
    name: "a folder of 26 files with a reason",
    path: "contract/src/n/a.ts",
    text: "export {};",
    others: crowd(25),
    law: { ...noExceptions, largeFolders: { "packages/contract/src/n": "providers" } },
  },
];
