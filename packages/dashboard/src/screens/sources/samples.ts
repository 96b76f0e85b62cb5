// What was seen of each source since the page was opened, and how fast it is emptied.
import type { Source } from "@tidings/contract";
import { useEffect, useState } from "react";

/** `rate`: events a second since the sample before; undefined for the first. */
export type Sample = Pick<Source, "accepted" | "waiting" | "lagSeconds"> & { at: number; rate?: number };
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** How often a source is read. */
export const pollMs = 3_000;
/** A read between two polls, such as after a change, would give a rate of chance. */
const minGapMs = 2_000;
/** Ten minutes. */
const maxKept = 200;

export function addSamples(known: Samples, sources: readonly Source[], at: number): Samples {
  return new Map(sources.map((source) => [source.id, addSample(known.get(source.id) ?? [], source, at)]));
}

function addSample(known: readonly Sample[], source: Source, at: number): readonly Sample[] {
  const { accepted, waiting, lagSeconds } = source;
  const last = known.at(-1);
  if (last && at - last.at < minGapMs) return known;
  const rate = last && (Math.max(0, accepted - last.accepted) * 1_000) / (at - last.at);
  return [...known, { at, accepted, waiting, lagSeconds, rate }].slice(-maxKept);
}

/** `at`: when the sources were read. */
export function useSamples(sources: readonly Source[] | undefined, at: number): Samples {
  const [samples, setSamples] = useState<Samples>(new Map());
  useEffect(() => {
    if (sources) setSamples((known) => addSamples(known, sources, at));
  }, [sources, at]);
  return samples;
}
