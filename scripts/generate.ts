// Writes every generated file of the repository; with --check it writes nothing and fails when a committed file is stale.
// Generated files are committed so that a change of the API is visible in review.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { scaleTables } from "../bench/costs.ts";
import {
  type ErrorCode,
  errorCatalogue,
  exportIds,
  leastRoleOf,
  openApiDocument,
  operations,
} from "../packages/contract/src/index.ts";
import { generateRegistry } from "../packages/providers/scripts/generate-registry.ts";
import { generateProvidersPage } from "../packages/providers/scripts/providers-page.ts";
import { dumpSchema } from "../packages/server/scripts/dump-schema.ts";
import { settings } from "../packages/server/src/settings.ts";

/** `path` is absolute or relative to the root of the repository. */
type Generated = { path: string; content: string };

const root = dirname(import.meta.dirname);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

const openApi = (): Generated => ({
  path: "docs/openapi.json",
  content: `${JSON.stringify(openApiDocument({ version }), null, 2)}\n`,
});

const errorsIntro = `# Errors

<!-- Generated from packages/contract/src/errors.ts by \`npm run generate\`. Do not edit. -->

Every answer outside 2xx has a JSON body of this shape:

\`\`\`json
{
  "statusCode": 404,
  "timestamp": "2026-01-01T00:00:00.000Z",
  "path": "/v2/subscribers/ada",
  "message": "Subscriber with id ada not found",
  "code": "SUBSCRIBER_NOT_FOUND",
  "ctx": { "subscriberId": "ada" }
}
\`\`\`

- \`statusCode\`, \`timestamp\`, \`path\` (with query string), \`message\` and \`code\` are always there. Programs should check
  \`code\`: it is stable, the wording of \`message\` is not.
- \`error\` is the text of the HTTP status, such as \`Not Found\`.
- \`ctx\` has the names and ids in the message; in the tables below they are in braces.
- 422 adds \`errors\`, a map from field path (\`limit\`, \`events.0.name\`) to \`{ "messages": [...], "value": ... }\`. All errors
  of a request are reported at once, and a request with an error changes nothing.
- 400 adds \`type\`, equal to \`code\`, and \`errors\`, a list of \`{ "field", "message" }\` which may be empty.
- 500 adds \`errorId\`, which is also in the log.
- 409, 429 and 503 have \`Retry-After\` when a retry makes sense.
`;

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function errorsPage(): Generated {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  const byStatus = [...Map.groupBy(codes, (code) => errorCatalogue[code].status)].sort(([a], [b]) => a - b);
  const section = (status: number, group: ErrorCode[]): string => {
    const rows = group.sort().map((code) => {
      const { message, when } = errorCatalogue[code];
      return `| \`${code}\` | ${status} | ${cell(message)} | ${cell(when)} |`;
    });
    return [`## ${status}`, "", "| code | status | message | when |", "|---|---|---|---|", ...rows, ""].join("\n");
  };
  const sections = byStatus.map(([status, group]) => section(status, group));
  return { path: "docs/errors.md", content: [errorsIntro, ...sections].join("\n") };
}

const configIntro = `# Settings

<!-- Generated from packages/server/src/config.ts by \`npm run generate\`. Do not edit. -->

Settings are environment variables. They are read and checked once at start; all errors are reported together, and a
misspelt \`TIDINGS_*\` variable is an error that names the nearest existing one. \`npm start\` needs none of them.

| variable | default | meaning |
|---|---|---|
`;

function configPage(): Generated {
  const rows = Object.entries(settings).map(
    ([name, { about, fallback }]) => `| \`${name}\` | ${fallback === "" ? "–" : `\`${fallback}\``} | ${cell(about)} |`,
  );
  return { path: "docs/config.md", content: `${configIntro}${rows.join("\n")}\n` };
}

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
  const files = exportIds.map((id) => ({ ...operations["subscribers.list"], id }));
  const rows = [...Object.values(operations), ...files].flatMap((operation) => {
    const least = leastRoleOf(operation);
    return least === null || least === "viewer" ? [] : [`  "${operation.id}": "${least}",`];
  });
  const head = [
    "// Generated from permissions.ts of packages/contract by `npm run generate`. Do not edit.",
    'import type { ExportId, OperationId, Role } from "@tidings/contract";',
    "",
    "export const operationRoles: Partial<Record<OperationId | ExportId, Role>> = {",
  ];
  return { path: "packages/dashboard/src/api/roles.gen.ts", content: [...head, ...rows, "};", ""].join("\n") };
}

/** The page is written by hand, but for the tables between its marks. */
function scalePage(): Generated {
  const path = "docs/scale.md";
  const page = readFileSync(join(root, path), "utf8");
  const content = Object.entries(scaleTables).reduce((text, [name, table]) => {
    const begin = `<!-- ${name}: from bench/costs.ts by \`npm run generate\` -->\n\n`;
    const end = `\n\n<!-- end of ${name} -->`;
    const [before, after] = [text.split(begin)[0]!, text.split(end)[1]];
    if (after === undefined || before === text) throw new Error(`${path} has no marks for the table ${name}`);
    return `${before}${begin}${table()}${end}${after}`;
  }, page);
  return { path, content };
}

// One entry per generated file: add a new one here. A generator may return a promise, for instance to ask a database.
const generators: (() => Generated | Promise<Generated>)[] = [
  openApi, // docs/openapi.json
  errorsPage, // docs/errors.md
  configPage, // docs/config.md
  generateRegistry, // packages/providers/src/registry.gen.ts
  generateProvidersPage, // docs/providers.md
  operationPaths, // packages/client/src/operations.gen.ts
  operationRoles, // packages/dashboard/src/api/roles.gen.ts
  scalePage, // the tables of docs/scale.md
  dumpSchema, // packages/server/src/store/schema.sql
];

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const generate of generators) {
  const { path, content } = await generate();
  const file = resolve(root, path);
  if (existsSync(file) && readFileSync(file, "utf8") === content) continue;
  stale.push(relative(root, file));
  if (check) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

for (const file of stale) {
  if (check) console.error(`${file} is stale; run: npm run generate`);
  else console.log(`${file} written`);
}
if (check && stale.length > 0) process.exitCode = 1;
