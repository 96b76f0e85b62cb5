// References in prose that can go stale: links between pages and their anchors, file names and identifiers in
// backticks.
import { dirname, join, normalize } from "node:path";

const withoutFences = (text: string): string => text.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "");

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading!);
    let name = anchor;
    for (let count = 1; anchors.has(name); count++) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  for (const [, id] of text.matchAll(/<a id="([\w-]+)">/g)) anchors.add(id!);
  return anchors;
}

export type Sources = { exists(path: string): boolean; read(path: string): string };

/** Links of a page to files, folders and anchors that do not exist. */
export function brokenLinks(page: string, { exists, read }: Sources): string[] {
  const links = [...withoutFences(read(page)).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  return links.flatMap(([, target, anchor]) => {
    const path = target === "" ? page : normalize(join(dirname(page), target!)).replace(/\/$/, "");
    if (!exists(path)) return [`${page}: ${target} does not exist`];
    const isMissing = anchor !== undefined && path.endsWith(".md") && !anchorsOf(read(path)).has(anchor);
    return isMissing ? [`${page}: ${path} has no heading for #${anchor}`] : [];
  });
}

const inBackticks = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);

/** Files named in backticks, with a folder or without one, that no file of the repository ends with. */
export function missingFiles(text: string, files: string[]): string[] {
  const names = inBackticks(text).filter(
    (name) => /^[\w@./-]+\.(?:ts|tsx|mjs|sql)$/.test(name) && !name.startsWith("."),
  );
  return names.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)));
}

/** Identifiers in backticks, in camelCase, that are in no program. */
export function missingNames(text: string, known: Set<string>): string[] {
  const names = inBackticks(text).flatMap((code) => /^(?:\w+\.)?([a-z]+[A-Z]\w*)(?:\(\))?$/.exec(code)?.[1] ?? []);
  return names.filter((name) => !known.has(name));
}

const install =
  /\b(?:npm|pnpm|yarn|bun) (?:i|install|add|exec|x|dlx)\b[^\n`|;&]*?\s(?:@tidings\/[\w-]+|tidings)(?![\w./-])/g;
const execute = /\b(?:npx|bunx|pnpx)(?: -\S+)* (?:@tidings\/[\w-]+|tidings\b)/g;

/**
 * Commands that would fetch a package of our name from the npm registry. A page may run `npx tidings` after it has said
 * that this is in a clone or in a project with the package; other files may not.
 */
export function foreignPackages(path: string, text: string): string[] {
  const isExplained = (index: number): boolean => {
    const end = text.indexOf("\n\n", index);
    return path.endsWith(".md") && /\b(?:clone|project)\b/i.test(text.slice(0, end === -1 ? undefined : end));
  };
  return [...text.matchAll(install), ...text.matchAll(execute)]
    .filter(({ 0: command, index }) => command !== "npx tidings" || !isExplained(index))
    .sort((a, b) => a.index - b.index)
    .map(({ 0: command, index }) => `${path}:${text.slice(0, index).split("\n").length}: ${command}`);
}
