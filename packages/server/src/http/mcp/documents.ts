// The pages of docs/ as resources, from the build (scripts/build.mjs): a process without the repository has them too.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Document = { name: string; title: string; text: string };

const scheme = "tidings://docs/";
/** Characters of one page. */
const maxLength = 100_000;

let read: Map<string, Document> | undefined;

/** Read on first use, so that a start does not wait for it; empty where nothing was built. */
function documents(): Map<string, Document> {
  const file = join(import.meta.dirname, "../../../dist/docs.json");
  read ??= new Map(
    existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as Document[]).map((one) => [scheme + one.name, one])
      : [],
  );
  return read;
}

export const listDocuments = () =>
  [...documents()].map(([uri, { name, title }]) => ({ uri, name, title, mimeType: "text/markdown" }));

/** Null when there is no such page. */
export function readDocument(uri: string) {
  const document = documents().get(uri);
  if (!document) return null;
  const { text } = document;
  const cut = text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}\n\n(The page is longer.)` : text;
  return { uri, mimeType: "text/markdown", text: cut };
}
