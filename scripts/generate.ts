// Writes every generated file of the repository; with --check it writes nothing and fails when a committed file is
// stale. Generated files are committed so that a change of the API is visible in review.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import {
  exportOperations,
  type Operation,
  openApiDocument,
  operations,
  requiredRoleOf,
  scopesOf,
} from "@tidings/contract";
import { generateRegistry } from "../packages/providers/scripts/generate-registry.ts";
import { generateProvidersPage } from "../packages/providers/scripts/providers-page.ts";
import { dumpSchema } from "../packages/server/scripts/dump-schema.ts";
import { declarations } from "./declarations.ts";
import { configPage, decisionsList, errorsPage, scalePage } from "./docs-pages.ts";
import { limitsPage } from "./limits/page.ts";
import { stepRegistries } from "./step-registries.ts";
import { tierTable } from "./tests/tier-table.ts";

/**
 * `path` is absolute or relative to the root of the repository. `content` is null for a file that is no longer
 * generated.
 */
type Generated = { path: string; content: string | null };

const root = dirname(import.meta.dirname);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

const openApi = (): Generated => ({
  path: "docs/openapi.json",
  content: `${JSON.stringify(openApiDocument({ version }), null, 2)}\n`,
});

/** All that a client needs of an operation at run time: importing the schemas would make pages and programs large. */
function operationPaths(): Generated {
  const rows = Object.values(operations).map(({ id, method, path }) => `  "${id}": ["${method}", "${path}"],`);
  const head = [
    "// Generated from the operations of packages/contract by `npm run generate`. Do not edit.",
    'import type { OperationId } from "@tidings/contract";',
    "",
    "export const operationPaths: Record<OperationId, readonly [method: string, path: string]> = {",
  ];
  return { path: "packages/client/src/operations.gen.ts", content: [...head, ...rows, "};", ""].join("\n") };
}

/** Which buttons a person sees: the least role of every operation that needs more than `viewer`. */
function operationRoles(): Generated {
  const rows = [...Object.values(operations), ...Object.values(exportOperations)].flatMap((operation) => {
    const least = requiredRoleOf(operation);
    return least === null || least === "viewer" ? [] : [`  "${operation.id}": "${least}",`];
  });
  const head = [
    "// Generated from the operations of packages/contract by `npm run generate`. Do not edit.",
    'import type { ExportId, OperationId, Role } from "@tidings/contract";',
    "",
    "export const operationRoles: Partial<Record<OperationId | ExportId, Role>> = {",
  ];
  return { path: "packages/dashboard/src/api/roles.gen.ts", content: [...head, ...rows, "};", ""].join("\n") };
}

/** What the dashboard offers for a key with a list of operations, with what each does. */
function keyOperations(): Generated {
  const rows = [...Object.values(operations), ...Object.values(exportOperations)].flatMap((operation: Operation) =>
    scopesOf(operation).length === 0
      ? []
      : [`  [${JSON.stringify(operation.id)}, ${JSON.stringify(operation.summary)}],`],
  );
  const head = [
    "// Generated from the operations of packages/contract by `npm run generate`. Do not edit.",
    "export const keyOperations: readonly (readonly [id: string, summary: string])[] = [",
  ];
  const path = "packages/dashboard/src/screens/environments/keys/key-operations.gen.ts";
  return { path, content: [...head, ...rows, "];", ""].join("\n") };
}

// One entry per generated file: add a new one here. A generator may return a promise, for instance to ask a database.
const generators: (() => Generated | Generated[] | Promise<Generated>)[] = [
  openApi, // docs/openapi.json
  errorsPage, // docs/errors.md
  configPage, // docs/config.md
  limitsPage, // docs/limits.md
  generateRegistry, // packages/providers/src/registry.gen.ts
  generateProvidersPage, // docs/providers.md
  operationPaths, // packages/client/src/operations.gen.ts
  operationRoles, // packages/dashboard/src/api/roles.gen.ts
  keyOperations, // packages/dashboard/src/screens/environments/keys/key-operations.gen.ts
  declarations, // packages/client/types, packages/inbox/types
  scalePage, // the tables of docs/scale.md
  decisionsList, // the list of decisions in docs/README.md
  tierTable, // the list of test files in CONTRIBUTING.md
  dumpSchema, // packages/server/src/store/schema.sql
];

const check = process.argv.includes("--check");
const stale: string[] = [];

/** False when a file was stale. */
function keep({ path, content }: Generated): boolean {
  const file = resolve(root, path);
  const found = existsSync(file) ? readFileSync(file, "utf8") : null;
  if (found === content) return true;
  stale.push(relative(root, file));
  if (check) return false;
  mkdirSync(dirname(file), { recursive: true });
  if (content === null) rmSync(file);
  else writeFileSync(file, content);
  return false;
}

// The contract, which this process has loaded, is built from the registries of step types: when they change, a new
// process generates everything else.
const areRegistriesCurrent = (await stepRegistries()).map(keep).every(Boolean);
if (areRegistriesCurrent || check) {
  for (const generate of generators) for (const one of [await generate()].flat()) keep(one);
}

for (const file of stale) {
  if (check) console.error(`${file} is stale; run: npm run generate`);
  else console.log(`${file} written`);
}
if (check && stale.length > 0) process.exitCode = 1;
if (!areRegistriesCurrent && !check) {
  process.exitCode = spawnSync(process.execPath, process.argv.slice(1), { stdio: "inherit" }).status ?? 1;
}
