// The sections about failures: a table of what each kind did to clients, and each kind from close up.
import { aloneMs, type KindFigures, normalLimit, type Occurrence, tailMs } from "./fault-figures.ts";
import { describeKind, nameKind } from "./fault-kinds.ts";
import { countOf, escapeText, formatCount, formatMs, formatTable, quoteText, wrapText } from "./markdown.ts";
import type { Proof } from "./proof.ts";

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`;

export function describeFailures({ kinds, normalP99 }: Proof): string[] {
  if (kinds.length === 0) return ["**No failure was caused in this run.**"];
  const rows = kinds.map((one) => [
    `[${nameKind(one.kind)}](#${anchorOf(one.kind)})`,
    formatCount(one.occurrences.length),
    seconds(one.totalMs),
    formatCount(one.failed),
    seconds(one.longestSilenceMs),
    one.aloneSilenceMs === null ? "–" : seconds(one.aloneSilenceMs),
    normalP99 === null ? "–" : describeRecovery(one),
    formatCount(one.duplicates),
  ]);
  const normal =
    normalP99 === null
      ? "No time was quiet enough to say which latency is normal, so that recovery is not given. "
      : `*Normal again* is the time from the end of a failure to the first five seconds in which no attempt failed and ` +
        `the p99 from request to 201 was at most ${formatMs(normalLimit(normalP99))}; while no failure was in effect ` +
        `it was ${formatMs(normalP99)}. An asterisk: another failure was in effect during that time. `;
  return [
    wrapText(
      `Each figure counts everything that happened between the begin of a failure and ${tailMs / 1_000} s after its ` +
        `end, including the effects of others at the same time, so that figures of different kinds must not be added ` +
        `up. *Longest without a 201* is the longest time in which no client got one; *when alone* is the same for ` +
        `occurrences without another failure within ${aloneMs / 1_000} s of them. ${normal}` +
        "*Accepted twice* counts provider calls that repeated a message which the provider had accepted; a provider " +
        `whose response is lost cannot be called in another way.`,
    ),
    formatTable(
      [
        ...["failure", "times", "in all", "failed attempts", "longest without a 201", "when alone", "normal again"],
        "accepted twice",
      ],
      rows,
      [1, 2, 3, 4, 5, 6, 7],
    ),
  ];
}

const anchorOf = (kind: string): string => kind.replaceAll(/[^a-z0-9-]/g, "");

function describeRecovery({ occurrences }: KindFigures): string {
  const recoveries = occurrences.flatMap(({ recovery }) => recovery ?? []);
  const unseen = recoveries.filter(({ kind }) => kind === "not_seen");
  const seen = recoveries.filter((one) => one.kind === "measured");
  const worst = seen.reduce((a, b) => (b.ms > a.ms ? b : a), seen[0]!);
  const text = worst ? `${worst.ms === 0 ? "at once" : seconds(worst.ms)}${worst.isShared ? "*" : ""}` : "";
  if (unseen.length === 0) return text;
  return [text, `not seen ${countOf(unseen.length, "time")}`].filter(Boolean).join(", ");
}

export function describeKinds({ evidence: { run }, kinds }: Proof): string[] {
  if (kinds.length === 0) return ["There is nothing to show."];
  return [
    wrapText(
      "For each kind, the time from 30 s before to 60 s after the occurrence with the longest time without a 201, chosen " +
        "among those that were alone if there are any. " +
        "The shaded part is the time in which it was in effect; other failures of that time are named in grey.",
    ),
    ...kinds.flatMap(({ kind, occurrences, worst }) => [
      `### ${nameKind(kind)}`,
      wrapText(`${describeKind(kind)} ${describeOccurrence(worst, countLike(worst, occurrences), run.startedAt)}`),
      `![Latency and failed requests before, during and after ${escapeText(kind)}](images/proof/${anchorOf(kind)}.svg)`,
    ]),
  ];
}

const countLike = (worst: Occurrence, occurrences: Occurrence[]): number =>
  occurrences.filter(({ isAlone }) => isAlone === worst.isAlone || !worst.isAlone).length;

export const pictureOf = (kind: string): string => `${anchorOf(kind)}.svg`;

function describeOccurrence(
  { record, failed, longestSilenceMs, isAlone, recovery }: Occurrence,
  times: number,
  start: number,
) {
  const { target, detail } = record;
  const offset = Math.max(0, Math.round((record.startedAt - start) / 1_000));
  const clock = `${Math.floor(offset / 60)}:${String(offset % 60).padStart(2, "0")}`;
  const normal =
    recovery === null
      ? ""
      : recovery.kind === "not_seen"
        ? ` Normal latency was not seen again in the ${seconds(recovery.afterMs)} that remained.`
        : recovery.ms === 0
          ? " Latency was normal as soon as it ended."
          : ` Latency was normal ${seconds(recovery.ms)} after its end${recovery.isShared ? ", with another failure in effect meanwhile" : ""}.`;
  const chosen =
    times === 1
      ? "The only occurrence"
      : `The worst of ${countOf(times, "occurrence")}${isAlone ? " with no other failure around them" : ""}`;
  return (
    `${chosen} began at ${clock} and ` +
    `lasted ${seconds(record.endedAt - record.startedAt)}, target ${quoteText(target, 80)}` +
    `${detail ? ` (${quoteText(detail, 160)})` : ""}: ${countOf(failed, "failed attempt")}, and no 201 for ` +
    `${seconds(longestSilenceMs)}.${normal}`
  );
}
