// `npm run chaos:report -- <folder of evidence>`: writes docs/proof.md and its pictures from a run. Pictures of an
// earlier report are removed. `--findings` instead of a folder writes only the section about what was found.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { drawCloseUp } from "./close-up.ts";
import { pictureOf } from "./failures.ts";
import { findings } from "./findings.ts";
import { replaceFindings } from "./findings-section.ts";
import { writePage } from "./page.ts";
import { type Extras, type ListedPromise, prepareProof } from "./proof.ts";
import { readEvidence } from "./read.ts";
import { drawTimeline } from "./timeline.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Returns the files that were written, relative to `docs`. */
export async function writeReport(evidenceFolder: string, docs: string, extras: Extras): Promise<string[]> {
  const evidence = await readEvidence(evidenceFolder);
  const proof = prepareProof(evidence, extras);
  const pictures = join(docs, "images/proof");
  mkdirSync(pictures, { recursive: true });
  for (const name of readdirSync(pictures)) if (name.endsWith(".svg")) rmSync(join(pictures, name));
  const files: [path: string, content: string][] = [
    [join(docs, "proof.md"), writePage(proof)],
    [join(pictures, "timeline.svg"), drawTimeline(evidence, proof.figures)],
    ...proof.kinds.map(({ kind, worst }): [string, string] => [
      join(pictures, pictureOf(kind)),
      drawCloseUp(evidence, proof.figures, worst.record),
    ]),
  ];
  for (const [path, content] of files) writeFileSync(path, content);
  return files.map(([path]) => relative(docs, path));
}

/** The promises of docs/promises.md: rows of a table that begin with an id in backticks. */
export function readPromises(path: string): ListedPromise[] {
  const rows = readFileSync(path, "utf8").matchAll(/^\| *`([a-z-]+)` *\| *([^|]+?) *\|/gm);
  return [...rows].map(([, id, title]) => ({ id: id!, title: title! }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (!folder) {
    console.error("Usage: npm run chaos:report -- <folder of evidence>, or --findings for that section alone");
    process.exit(2);
  }
  const docs = join(root, "docs");
  if (folder === "--findings") {
    const path = join(docs, "proof.md");
    writeFileSync(path, replaceFindings(readFileSync(path, "utf8"), findings));
    console.log("docs/proof.md");
    process.exit(0);
  }
  const promises = readPromises(join(docs, "promises.md"));
  for (const path of await writeReport(folder, docs, { promises, findings })) console.log(`docs/${path}`);
}
