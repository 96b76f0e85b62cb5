// What the sections of the report are written from.
import { type KindFigures, measureKinds, measureNormalP99 } from "./fault-figures.ts";
import { computeFigures, type Figures } from "./figures.ts";
import type { Finding } from "./findings.ts";
import type { Evidence } from "./read.ts";

/** What the pages know of a promise apart from the run: a row of docs/promises.md. */
export type ListedPromise = { id: string; title: string };

export type Proof = {
  evidence: Evidence;
  figures: Figures;
  kinds: KindFigures[];
  normalP99: number | null;
  promises: ListedPromise[];
  findings: Finding[];
};

export type Extras = Pick<Proof, "promises" | "findings">;

export function prepareProof(evidence: Evidence, extras: Extras): Proof {
  const figures = computeFigures(evidence);
  const normalP99 = measureNormalP99(evidence, figures);
  return { evidence, figures, normalP99, kinds: measureKinds(evidence, figures, normalP99), ...extras };
}
