// The law of the code, as a program: which layer may import which, where SQL may be, which arguments a store function
// must have (tenancy.ts), import cycles and folders (structure.ts), the parts of the dashboard (dashboard.ts), and what
// the testkit, scripts and benchmarks may import (tools.ts). It reads the sources as text.
import { screenFaults } from "./dashboard.ts";
import { cycleFaults, folderFaults, importsOf, resolveImport } from "./structure.ts";
import { reachFaults, staleTenantExceptions, tenantFaults } from "./tenancy.ts";
import { isTool, toolFaults } from "./tools.ts";

export type SourceFile = { path: string; text: string };

export type Law = {
  /** Files that may be longer than the limit, by path, with the reason. */
  longFiles: Record<string, string>;
  /** Folders that may have more files than the limit, by path, with the reason. */
  largeFolders: Record<string, string>;
  /** Store functions without the environment as an argument, by name, with the reason. */
  withoutEnvironment: Record<string, string>;
  /** Files outside store/ that may import store/installation/, by path, with the reason. */
  installationUsers: Record<string, string>;
  /** Scripts that may import files of a package that it does not export, by path, with the reason. */
  sourceReaders: Record<string, string>;
};

const maxLines = 400;

/** Layers of the server, from the outside in: a layer may import itself and the layers after it. */
const layers = ["http", "app", "pipeline", "store", "lib"];
const rootFiles = [
  "response",
  "config",
  "settings",
  "encryption-key",
  "context",
  "failure",
  "validation",
  "validation-bounds",
  "installation-gauges",
  "metrics",
  "log",
  "tracing",
  "version",
];
const wiring = ["start", "load", "address", "stack-traces", "service", "engine", "main", "first-start", "database"];

const databaseModules = ["kysely", "pg", "pg-boss"];

/** A query on a database that was passed in needs no import. */
const startsQuery = /\.\s*(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\s*\(/;

/** `http`, `app` …, `root`, `wiring` for a file of the server; null for other packages. */
function layerOf(path: string): string | null {
  const [, inside] = /^packages\/server\/src\/(.+)\.ts$/.exec(path) ?? [];
  if (inside === undefined) return null;
  const [folder, ...rest] = inside.split("/");
  if (rest.length > 0) return ["threads", "telemetry", "operate"].includes(folder!) ? "wiring" : folder!;
  return wiring.includes(folder!) ? "wiring" : rootFiles.includes(folder!) ? "root" : `unknown root file ${folder}.ts`;
}

function mayImport(from: string, to: string): boolean {
  if (from === "wiring") return true;
  if (to === "wiring") return false;
  if (from === "root") return to === "root" || to === "store" || to === "lib";
  if (to === "root") return ["http", "app", "pipeline"].includes(from);
  return layers.includes(from) && layers.includes(to) && layers.indexOf(from) <= layers.indexOf(to);
}

/** Packages of ours that the files of a package may import; those of the server differ by layer. */
const packagesOf: Record<string, string[]> = {
  contract: [],
  providers: ["@tidings/contract"],
  client: ["@tidings/contract"],
  // Contract: types, the list of roles, cron, the places of steps and the words of conditions, which bring no schemas
  // into the bundle.
  dashboard: [
    "@tidings/contract",
    "@tidings/contract/arms",
    "@tidings/contract/conditions",
    "@tidings/contract/cron",
    "@tidings/contract/roles",
    "@tidings/client/source",
  ],
  // The widget's script has limits: the schemas of the contract and the table of operations are too large for it.
  inbox: ["@tidings/contract", "@tidings/client/exchange"],
  // `checks`: what the service checks when a workflow is saved, for files that are checked without a service. `folder`:
  // how a folder of files is read.
  // `operate`: types alone, the bundle next to the command line has the code. `outbox`: the outbox in a customer's
  // database, where no service is installed.
  cli: [
    ...["@tidings/contract", "@tidings/contract/gallery", "@tidings/client/source"],
    ...["@tidings/server/checks", "@tidings/server/folder", "@tidings/server/operate", "@tidings/server/outbox"],
  ],
};

function packagesFor(path: string): string[] {
  const own = packagesOf[path.split("/")[1]!];
  if (own) return own;
  const layer = layerOf(path);
  if (layer === "store" || layer === "lib") return ["@tidings/contract"];
  const common = ["@tidings/contract", "@tidings/contract/gallery", "@tidings/providers", "@tidings/providers/mail"];
  // The arguments of the tools for assistants have schemas, which are not those of operations.
  return layer === "http" ? [...common, "@tidings/contract/schema"] : common;
}

function importFaults(file: SourceFile): string[] {
  const faults: string[] = [];
  const from = layerOf(file.path);
  const ownPackage = /^packages\/[^/]+\//.exec(file.path)?.[0] ?? "";
  for (const target of importsOf(file)) {
    if (target.startsWith(".")) {
      const path = resolveImport(file.path, target);
      if (!path.startsWith(ownPackage)) faults.push(`imports ${target}: another package is imported by its name`);
      const to = layerOf(path);
      if (from !== null && to !== null && !mayImport(from, to))
        faults.push(`imports ${target}: ${from} may not import ${to}`);
    } else if (target.startsWith("@tidings/")) {
      if (!packagesFor(file.path).includes(target)) faults.push(`imports ${target}, which it may not`);
    } else if (databaseModules.includes(target.split("/")[0]!) && from !== "store") {
      faults.push(`imports ${target}: SQL lives in store/`);
    }
  }
  if (from?.startsWith("unknown")) faults.push(`is an ${from}: give it a folder`);
  return faults;
}

/**
 * NOTIFY takes a lock at commit that all notifying transactions share: it has its own connection, in the first file.
 * The second one announces tasks for a later time, which the transactions of in-app messages do not have; the third
 * migrations and the fourth changes of sources, which are few. The last one is for databases of customers, who can turn
 * it off.
 */
const notifiers = [
  "packages/server/src/store/queue/listen.ts",
  "packages/server/src/store/queue/queue.ts",
  "packages/server/src/store/installation/migrate.ts",
  "packages/server/src/store/sources/sources.ts",
  "packages/contract/src/outbox-sql.ts",
];

/** The entry of the command line hands the environment on. */
const environmentReaders = ["packages/server/src/config.ts", "packages/cli/src/tidings.ts"];

/** In the page of a customer, the console is where its developer looks. */
const isInPage = (path: string): boolean => path.startsWith("packages/inbox/src/");

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);

function lineFaults(file: SourceFile): string[] {
  const faults: string[] = [];
  for (const [index, line] of file.text.split("\n").entries()) {
    const at = `line ${index + 1}`;
    if (/\b(?:TODO|FIXME)\b/.test(line)) faults.push(`${at}: finish it, or write down elsewhere what is left`);
    if (isComment(line)) continue;
    // In a browser, it is a word of the user interface.
    const isPage = /^packages\/(?:inbox|dashboard)\//.test(file.path);
    if (!isPage && /\bpg_notify\b|[`"']\s*notify\s/i.test(line) && !notifiers.includes(file.path)) {
      faults.push(`${at}: NOTIFY is sent by ${notifiers[0]}, after the commit`);
    }
    if (layerOf(file.path) !== null && layerOf(file.path) !== "store" && startsQuery.test(line)) {
      faults.push(`${at}: queries are written in store/`);
    }
    if (/\bconsole\s*\./.test(line) && !isInPage(file.path)) faults.push(`${at}: console is not a log`);
    if (/\bprocess\s*\.\s*env\b/.test(line) && !environmentReaders.includes(file.path)) {
      faults.push(`${at}: process.env is read in ${environmentReaders.join(" and ")} alone`);
    }
  }
  return faults;
}

function lengthFaults(file: SourceFile, law: Law): string[] {
  const lines = file.text.trimEnd().split("\n").length;
  const isExempt = file.path.endsWith(".gen.ts") || file.path in law.longFiles;
  return lines > maxLines && !isExempt ? [`has ${lines} lines, ${maxLines} are allowed`] : [];
}

/** Exceptions that are no longer needed. */
function staleExceptions(files: SourceFile[], law: Law): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const folders = new Set([...paths].map((path) => path.slice(0, path.lastIndexOf("/"))));
  return [
    ...staleTenantExceptions(files, law),
    ...[law.longFiles, law.installationUsers, law.sourceReaders]
      .flatMap((exceptions) => Object.keys(exceptions))
      .filter((path) => !paths.has(path)),
    ...Object.keys(law.largeFolders).filter((folder) => !folders.has(folder)),
  ].map((name) => `${name} is excepted and does not exist`);
}

/** Every breach of the law, as `path: what is wrong`. Files of tests count for the size of their folders alone. */
export function breaches(files: SourceFile[], law: Law): string[] {
  const sources = files.filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && !isTool(path));
  const tools = files.filter(({ path }) => isTool(path));
  const found = sources.flatMap((file) =>
    [
      ...importFaults(file),
      ...screenFaults(file),
      ...lineFaults(file),
      ...lengthFaults(file, law),
      ...reachFaults(file, law),
    ].map((fault) => `${file.path}: ${fault}`),
  );
  return [
    ...found,
    ...tools.flatMap((file) =>
      [...toolFaults(file, law), ...lengthFaults(file, law)].map((fault) => `${file.path}: ${fault}`),
    ),
    ...tenantFaults(sources, law),
    ...cycleFaults([...sources, ...tools]),
    ...folderFaults(files, law),
    ...staleExceptions(files, law),
  ];
}
