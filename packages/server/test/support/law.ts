// The law of the code, as a program: who may import whom, where SQL may stand, what a store function must be told. It
// reads text and knows no compiler, so it sees what a reader sees.

export type SourceFile = { path: string; text: string };

export type Law = {
  /** Files that may be longer than the limit, by path, with the reason. */
  longFiles: Record<string, string>;
  /** Store functions whose second parameter is not the environment, by name, with the reason. */
  withoutEnvironment: Record<string, string>;
};

const maxLines = 400;

/** Layers of the server, from the edge inwards: a layer imports itself and what is behind it. */
const layers = ["http", "app", "pipeline", "store", "lib"];
const rootFiles = [
  "answer",
  "config",
  "context",
  "failure",
  "validation",
  "validation-bounds",
  "metrics",
  "log",
  "version",
];
const wiring = ["service", "main", "show-key"];

const databaseModules = ["kysely", "pg", "pg-boss"];

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

/** `http`, `app` …, `root`, `wiring` for a file of the server; null for other packages. */
function layerOf(path: string): string | null {
  const [, inside] = /^packages\/server\/src\/(.+)\.ts$/.exec(path) ?? [];
  if (inside === undefined) return null;
  const [folder, ...rest] = inside.split("/");
  if (rest.length > 0) return folder!;
  return wiring.includes(folder!) ? "wiring" : rootFiles.includes(folder!) ? "root" : `unknown root file ${folder}.ts`;
}

function mayImport(from: string, to: string): boolean {
  if (from === "wiring") return true;
  if (to === "wiring") return false;
  if (from === "root") return to === "root" || to === "store" || to === "lib";
  if (to === "root") return ["http", "app", "pipeline"].includes(from);
  return layers.includes(from) && layers.includes(to) && layers.indexOf(from) <= layers.indexOf(to);
}

/** Packages of ours that a file may import. */
function packagesFor(path: string): string[] {
  if (path.startsWith("packages/contract/")) return [];
  if (path.startsWith("packages/providers/")) return ["@tidings/contract"];
  const layer = layerOf(path);
  return layer === "store" || layer === "lib" ? ["@tidings/contract"] : ["@tidings/contract", "@tidings/providers"];
}

const resolveImport = (from: string, to: string): string => new URL(to, `file:///${from}`).pathname.slice(1);

function importFaults(file: SourceFile): string[] {
  const faults: string[] = [];
  const from = layerOf(file.path);
  const ownPackage = /^packages\/[^/]+\//.exec(file.path)?.[0] ?? "";
  for (const [, name] of file.text.matchAll(importPattern)) {
    const target = name!;
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

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);

function lineFaults(file: SourceFile): string[] {
  const faults: string[] = [];
  for (const [index, line] of file.text.split("\n").entries()) {
    const at = `line ${index + 1}`;
    if (/\b(?:TODO|FIXME)\b/.test(line)) faults.push(`${at}: finish it, or write down elsewhere what is left`);
    if (isComment(line)) continue;
    if (/\bconsole\s*\./.test(line)) faults.push(`${at}: console is not a log`);
    if (/\bprocess\s*\.\s*env\b/.test(line) && file.path !== "packages/server/src/config.ts") {
      faults.push(`${at}: process.env is read in config.ts alone`);
    }
  }
  return faults;
}

function lengthFaults(file: SourceFile, law: Law): string[] {
  const lines = file.text.trimEnd().split("\n").length;
  const isExempt = file.path.endsWith(".gen.ts") || file.path in law.longFiles;
  return lines > maxLines && !isExempt ? [`has ${lines} lines, ${maxLines} are allowed`] : [];
}

export type StoreFunction = { name: string; parameters: string[] };

/** The exported functions of a file and the names of their parameters. */
export function functionsIn(text: string): StoreFunction[] {
  const heads = /^export\s+(?:async\s+)?(?:function\s+(\w+)|const\s+(\w+)\s*=\s*(?:async\s*)?(?=[<(]))/gm;
  return [...text.matchAll(heads)].map((head) => {
    const start = text.indexOf("(", head.index + head[0].length);
    return { name: (head[1] ?? head[2])!, parameters: parametersAt(text, start) };
  });
}

/** Reads a list of parameters from its opening bracket; commas inside types and defaults do not count. */
function parametersAt(text: string, start: number): string[] {
  const parts = [""];
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const character = text[i]!;
    const isArrow = character === ">" && text[i - 1] === "=";
    if ("([{<".includes(character)) depth++;
    if (")]}>".includes(character) && !isArrow) depth--;
    if (depth === 0) break;
    if (depth === 1 && character === ",") parts.push("");
    else if (i > start) parts[parts.length - 1] += character;
  }
  return parts.map((part) => /^\s*(\w+)/.exec(part)?.[1] ?? "").filter((name) => name !== "");
}

const databaseParameters = new Set(["db", "tx"]);

/** Functions that reach the database without being told in whose environment. */
const tenantFaults = (file: SourceFile, law: Law): string[] =>
  layerOf(file.path) !== "store"
    ? []
    : functionsIn(file.text)
        .filter(({ parameters }) => databaseParameters.has(parameters[0] ?? "") && parameters[1] !== "environmentId")
        .filter(({ name }) => !(name in law.withoutEnvironment))
        .map(({ name }) => `${name}() is not told the environment as its second parameter`);

/** Exceptions that nothing needs any more. */
function staleExceptions(files: SourceFile[], law: Law): string[] {
  const stores = files.filter(({ path }) => layerOf(path) === "store");
  const names = new Set(stores.flatMap(({ text }) => functionsIn(text)).map(({ name }) => name));
  const paths = new Set(files.map(({ path }) => path));
  return [
    ...Object.keys(law.withoutEnvironment).filter((name) => !names.has(name)),
    ...Object.keys(law.longFiles).filter((path) => !paths.has(path)),
  ].map((name) => `${name} is excepted and does not exist`);
}

/** Every breach of the law, as `path: what is wrong`. */
export function breaches(files: SourceFile[], law: Law): string[] {
  const found = files.flatMap((file) =>
    [...importFaults(file), ...lineFaults(file), ...lengthFaults(file, law), ...tenantFaults(file, law)].map(
      (fault) => `${file.path}: ${fault}`,
    ),
  );
  return [...found, ...staleExceptions(files, law)];
}
