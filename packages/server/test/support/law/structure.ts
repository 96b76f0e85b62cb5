// The law of structure: no import cycles, no crowded folders.
import type { Law, SourceFile } from "./law.ts";

const maxFiles = 25;

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

/** What a file imports; type imports and re-exports count. */
export const importsOf = (file: SourceFile): string[] =>
  [...file.text.matchAll(importPattern)].map(([, target]) => target!);

export const resolveImport = (from: string, to: string): string => new URL(to, `file:///${from}`).pathname.slice(1);

/** Each cycle once, as the shortest way from its first file back to it. */
export function cycleFaults(files: SourceFile[]): string[] {
  const known = new Set(files.map(({ path }) => path));
  const graph = new Map(
    files.map((file) => {
      const targets = importsOf(file).filter((target) => target.startsWith("."));
      return [file.path, targets.map((target) => resolveImport(file.path, target)).filter((path) => known.has(path))];
    }),
  );
  const faults: string[] = [];
  const reported = new Set<string>();
  for (const start of [...known].toSorted()) {
    const cycle = reported.has(start) ? null : shortestCycle(graph, start);
    if (!cycle) continue;
    for (const path of cycle) reported.add(path);
    faults.push(`${start}: import cycle ${[...cycle, start].map(nameOf).join(" → ")}`);
  }
  return faults;
}

const nameOf = (path: string): string => path.replace(/^packages\/[^/]+\/src\//, "");

/** Breadth first, so the first way back to the start is the shortest; null when there is none. */
function shortestCycle(graph: Map<string, string[]>, start: string): string[] | null {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === start) return way;
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}

/** Folders with more files than a reader can survey. Generated files do not count. */
export function folderFaults(files: SourceFile[], law: Law): string[] {
  const written = files.filter(({ path }) => !path.endsWith(".gen.ts"));
  const byFolder = Map.groupBy(written, ({ path }) => path.slice(0, path.lastIndexOf("/")));
  return [...byFolder].flatMap(([folder, group]) =>
    group.length > maxFiles && !(folder in law.largeFolders)
      ? [`${folder}: has ${group.length} files, ${maxFiles} are allowed`]
      : [],
  );
}

const auditor = "scripts/auditor/";

/** What the auditor of chaos runs may not import: an error in shared code would be on both sides of its comparison. */
export const auditorFaults = (files: SourceFile[]): string[] =>
  files.flatMap((file) =>
    importsOf(file)
      .filter((target) =>
        target.startsWith(".")
          ? !resolveImport(file.path, target).startsWith(auditor)
          : target !== "pg" && !target.startsWith("node:"),
      )
      .map((target) => `${file.path}: imports ${target}: the auditor shares no code with what it judges`),
  );
