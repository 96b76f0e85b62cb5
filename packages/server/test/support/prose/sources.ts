// What the prose check reads: pages, comments, texts of the user interface and the command line, and texts of the API.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCatalogue, openApiDocument } from "@tidings/contract";
import { commentsOf, type Prose, proseOfMarkdown, textsOf } from "./texts.ts";

export const root = join(import.meta.dirname, "../../../../..");

/** The files of the repository, with those that are new. */
export const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
}).split("\n");

export const read = (path: string): string => readFileSync(join(root, path), "utf8");

const isGenerated = (path: string): boolean => /\.gen\.ts$|schema\.sql$/.test(path);

/** Records of the past, which stay as they were written. */
const records = ["CHANGELOG.md", "bench/results.md"];

export const pages = files.filter((path) => path.endsWith(".md") && !records.includes(path));
export const programs = files.filter(
  (path) => /^(?:packages|scripts|bench)\/.*\.(?:ts|tsx|mjs)$/.test(path) && !isGenerated(path),
);

/** Files whose string literals people read. */
const texts = files.filter((path) => /\/words(?:[.-][\w-]*)?\.ts$|^packages\/cli\/src\/.*\.ts$/.test(path));

export const markdown = (): Prose[] => pages.map((path) => ({ path, text: proseOfMarkdown(read(path)) }));
export const comments = (): Prose[] => programs.map((path) => ({ path, text: commentsOf(read(path)) }));
export const words = (): Prose[] => texts.map((path) => ({ path, text: textsOf(read(path)) }));

type Node = { [name: string]: unknown };

/** Every `description` and `summary` of the OpenAPI document, with its place in it. */
function describedIn(node: unknown, place: string): Prose[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node as Node).flatMap(([name, value]) =>
    typeof value === "string"
      ? ["description", "summary"].includes(name)
        ? [{ path: `${place}/${name}`, text: proseOfMarkdown(value) }]
        : []
      : describedIn(value, `${place}/${name}`),
  );
}

/** The texts of the API: descriptions of operations and schemas, messages of errors and when they occur. */
export function contractTexts(): Prose[] {
  const errors = Object.entries(errorCatalogue).flatMap(([code, { message, when }]) => [
    { path: `error ${code}`, text: proseOfMarkdown(message) },
    { path: `error ${code}, when`, text: proseOfMarkdown(when) },
  ]);
  return [...errors, ...describedIn(openApiDocument({ version: "0" }), "openapi")];
}
