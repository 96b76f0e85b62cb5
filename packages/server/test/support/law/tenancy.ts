// The law of tenancy, promise 4 of ARCHITECTURE.md. A function of store/ that reaches the database takes the
// environment right after it: as `environmentId`, or as rows that carry `environment_id`. The others live apart, where
// callers of the API cannot reach them: functions on rows of many environments in `*.batch.ts`, functions of the whole
// installation in store/installation/ and store/backup/.
import type { Law, SourceFile } from "./law.ts";
import { importsOf, resolveImport } from "./structure.ts";
import { functionsIn, hasColumn, type Parameter, typesIn } from "./types.ts";

const store = "packages/server/src/store/";
const wiring = ["service", "engine", "main", "database"].map((name) => `packages/server/src/${name}.ts`);

const isBatchFile = (path: string): boolean => path.startsWith(store) && path.endsWith(".batch.ts");
const isInstallationFile = (path: string): boolean =>
  ["installation/", "backup/"].some((folder) => path.startsWith(`${store}${folder}`));
/** Commands of the operator. */
const isOperation = (path: string): boolean => path.startsWith("packages/server/src/operate/");

/** Environments and people belong to an organisation, so their own functions take that instead. */
const ownersIn = (path: string): string[] =>
  ["environments/", "members/"].some((folder) => path.startsWith(`${store}${folder}`))
    ? ["environment", "organization"]
    : ["environment"];

const isDatabase = ({ name, type }: Parameter): boolean =>
  name === "db" || name === "tx" || type === "Db" || type === "Tx";

/** Store functions that reach the database without knowing the environment. */
export function tenantFaults(files: SourceFile[], law: Law): string[] {
  const stores = files.filter(({ path }) => path.startsWith(store));
  const findType = typesIn(stores);
  const isTold = (path: string, parameter: Parameter | undefined): boolean =>
    parameter !== undefined &&
    ownersIn(path).some(
      (owner) =>
        parameter.name === `${owner}Id` || hasColumn(parameter.type, `${owner}_id`, (name) => findType(path, name)),
    );
  return stores
    .filter(({ path }) => !isBatchFile(path) && !isInstallationFile(path))
    .flatMap(({ path, text }) =>
      functionsIn(text)
        .filter(({ parameters: [first, second] }) => first && isDatabase(first) && !isTold(path, second))
        .filter(({ name }) => !(name in law.withoutEnvironment))
        .map(({ name }) => `${path}: ${name}() is not told the environment right after the database`),
    );
}

/** Imports of functions that do not know the environment, by files that may not call them. */
export function reachFaults(file: SourceFile, law: Law): string[] {
  const { path } = file;
  if (!path.startsWith("packages/server/src/") || wiring.includes(path) || isOperation(path)) return [];
  const targets = importsOf(file)
    .filter((target) => target.startsWith("."))
    .map((target) => resolveImport(path, target));
  const mayBatch = path.startsWith("packages/server/src/pipeline/") || isBatchFile(path);
  const mayInstallation = isInstallationFile(path) || path in law.installationUsers;
  return targets.flatMap((target) => {
    if (isBatchFile(target) && !mayBatch)
      return [`imports ${target}: only pipeline/ works on many environments at once`];
    if (isInstallationFile(target) && !mayInstallation) return [`imports ${target}: it is for the whole installation`];
    return [];
  });
}

/** Exceptions that are no longer needed. */
export function staleTenantExceptions(files: SourceFile[], law: Law): string[] {
  const stores = files.filter(({ path }) => path.startsWith(store));
  const names = new Set(stores.flatMap(({ text }) => functionsIn(text)).map(({ name }) => name));
  return Object.keys(law.withoutEnvironment).filter((name) => !names.has(name));
}
