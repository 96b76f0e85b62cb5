// Every regular expression of the sources: literals, those built when a module is loaded, and patterns of the contract.
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Operation, operations } from "@tidings/contract";
import { parse, type Token } from "acorn";
import { analyse } from "scslre";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));

export type FoundRegex = { file: string; regex: RegExp };

export const sourceFiles = globSync("packages/*/src/**/*.ts", { cwd: repository }).map((file) =>
  join(repository, file),
);

const found = (file: string, regex: RegExp): FoundRegex => ({ file: relative(repository, file), regex });

export function literalsOf(file: string): FoundRegex[] {
  const source = stripTypeScriptTypes(readFileSync(file, "utf8"));
  const tokens: Token[] = [];
  parse(source, { ecmaVersion: "latest", sourceType: "module", onToken: tokens });
  return (tokens as (Token & { value: unknown })[]).flatMap(({ type, value }) => {
    if (type.label !== "regexp") return [];
    const { pattern, flags } = value as { pattern: string; flags: string };
    return [found(file, new RegExp(pattern, flags))];
  });
}

/** Loads the module once more, and notes what it builds meanwhile. */
export async function builtBy(file: string): Promise<FoundRegex[]> {
  const built: FoundRegex[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, given: [string, string?]) => {
      const regex = new target(...given);
      built.push(found(file, regex));
      return regex;
    },
  });
  try {
    await import(`${pathToFileURL(file).href}?built`);
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}

/** The patterns that values of requests are checked against. */
export function contractPatterns(): FoundRegex[] {
  const patterns = new Set<string>();
  const visit = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { pattern } = schema as { pattern?: unknown };
    if (typeof pattern === "string") patterns.add(pattern);
    for (const part of Object.values(schema)) visit(part);
  };
  for (const { body, query } of Object.values(operations) as Operation[]) visit([body, query]);
  return [...patterns].map((pattern) => found(join(repository, "packages/contract/src"), new RegExp(pattern, "u")));
}

/** Null when the time grows with the text only; otherwise how some text makes it grow faster. */
export function superLinearity(regex: RegExp): string | null {
  const { reports } = analyse(regex);
  const kinds = reports.map(({ type, exponential }) => (exponential ? `exponential ${type}` : type));
  return kinds.length > 0 ? [...new Set(kinds)].join(", ") : null;
}
