// The sections about failures: a table of what each kind did to clients, and each kind from close up.
import { aloneMs, type KindFigures, normalLimit, type Occurrence, tailMs } from "./fault-figures.ts";
import { describeKind, nameKind } from "./fault-kinds.ts";
import { countOf, formatCount, formatMs, formatTable, quoteText, wrapText } from "./markdown.ts";
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
      ? "*Normal again* is missing: no time was quiet enough to say which latency is normal."
      : "*Normal again* is the time from the end of the failure to the first five seconds without a failed attempt " +
        `and with a p99 from request to 201 of at most ${formatMs(normalLimit(normalP99))}. Without a failure, the p99 ` +
        `was ${formatMs(normalP99)}. An asterisk marks times with another failure in effect.`;
  const columns = [
    "*Failed attempts* are those without a response, or with 408, 429 or 5xx. Clients repeated them.",
    "*Longest without a 201* is the longest time in which no client got one. *When alone* is the same for occurrences " +
      `without another failure within ${aloneMs / 1_000} s.`,
    normal,
    "*Accepted twice* counts calls that sent a message which the provider had accepted before. After a lost response, " +
      "the service cannot know that.",
  ];
  return [
    wrapText(
      `The table counts what happened from the start of a failure until ${tailMs / 1_000} s after its end. Failures ` +
        "overlap, so an attempt can count for several of them, and rows must not be added up.",
    ),
    columns.map((one) => wrapText(`- ${one}`)).join("\n"),
    formatTable(
      [
        ...["failure", "times", "total time", "failed attempts", "longest without a 201", "when alone", "normal again"],
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
      "Each picture begins 30 s before a failure and ends 60 s after it. It shows the occurrence with the longest time " +
        "without a 201, of those that were alone if there were any. The failure is shaded; grey bars are other " +
        "failures at the time.",
    ),
    ...kinds.flatMap(({ kind, occurrences, worst }) => [
      `### ${nameKind(kind)}`,
      wrapText(`${describeKind(kind)} ${describeOccurrence(worst, occurrences, run.startedAt)}`),
      `![Latency and failed requests before, during and after this failure](images/proof/${anchorOf(kind)}.svg)`,
    ]),
  ];
}

export const pictureOf = (kind: string): string => `${anchorOf(kind)}.svg`;

function describeOccurrence(
  { record, failed, longestSilenceMs, isAlone, recovery }: Occurrence,
  occurrences: Occurrence[],
  start: number,
) {
  const { target, detail } = record;
  const offset = Math.max(0, Math.round((record.startedAt - start) / 1_000));
  const clock = `${Math.floor(offset / 60)}:${String(offset % 60).padStart(2, "0")}`;
  const normal =
    recovery === null
      ? ""
      : recovery.kind === "not_seen"
        ? ` Latency did not return to normal in the ${seconds(recovery.afterMs)} that remained.`
        : recovery.ms === 0
          ? " Latency was normal as soon as the failure ended."
          : ` Latency was normal again ${seconds(recovery.ms)} after the end${recovery.isShared ? ", with another failure in effect meanwhile" : ""}.`;
  const times = occurrences.length;
  const alone = isAlone ? occurrences.filter((one) => one.isAlone).length : times;
  const chosen =
    times === 1
      ? "The only occurrence"
      : alone === times
        ? `The worst of ${times} occurrences${isAlone ? ", each with no other failure around it," : ""}`
        : alone === 1
          ? `The only one of ${times} occurrences with no other failure around it`
          : `The worst of the ${alone} (of ${times}) occurrences with no other failure around them`;
  const noted = detail ? ` The record says ${quoteText(detail, 160)}.` : "";
  return (
    `${chosen} hit ${quoteText(target, 80)} at ${clock} and lasted ${seconds(record.endedAt - record.startedAt)}. ` +
    `Clients saw ${countOf(failed, "failed attempt")}, and the longest time without a 201 was ` +
    `${seconds(longestSilenceMs)}.${normal}${noted}`
  );
}
