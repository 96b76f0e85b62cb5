// What was run: when, where, with which versions, and how much of everything.
import type { Run } from "../../auditor/evidence.ts";
import { countOverlaps, listDuplicates } from "./fault-figures.ts";
import { allKinds, nameKind } from "./fault-kinds.ts";
import { countOf, escapeText, formatCount, formatMs, formatTable, joinWords, quoteText, wrapText } from "./markdown.ts";
import type { Proof } from "./proof.ts";

const maxOverlaps = 30;

/** To the minute, as 2026-11-19 02:03 UTC. */
export const describeDate = ({ startedAt }: Pick<Run, "startedAt">): string =>
  `${new Date(startedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;

export function describeRun(proof: Proof): string[] {
  const { run } = proof.evidence;
  const { versions, machine } = run;
  const minutes = (run.loadEndedAt - run.startedAt) / 60_000;
  const rows: [string, string][] = [
    ["date", describeDate(run)],
    ["version and commit", escapeText(versions.tidings)],
    ...(versions.before ? ([["upgraded from", escapeText(versions.before)]] as [string, string][]) : []),
    ["Node, PostgreSQL", `${escapeText(versions.node)}, ${escapeText(versions.postgres)}`],
    ["machine", `${countOf(machine.cores, "core")}, ${machine.memoryGb} GB, ${escapeText(machine.platform)}`],
    ["seed", String(run.seed)],
    ["load", `${minutes.toFixed(minutes < 10 ? 1 : 0)} minutes, then ${describeRest(run)}`],
    ...listCounts(proof),
  ];
  return [formatTable(["", ""], rows), ...describePlan(proof)];
}

/** Earlier evidence does not say whether everything came to rest. */
function describeRest({ loadEndedAt, endedAt, isDrained }: Run): string {
  const rest = `${formatMs(endedAt - loadEndedAt)} until`;
  if (isDrained === undefined) return `${rest} clients had read what came of it`;
  return isDrained
    ? `${rest} everything was at rest and read`
    : `${rest} clients had read what came of it. **Something was still in progress**`;
}

function listCounts({ evidence, figures }: Proof): [string, string][] {
  const { run, deliveries } = evidence;
  const { counts, failures } = figures;
  const people = run.environments.reduce((sum, { people }) => sum + people.length, 0);
  const failed = [...failures.values()].reduce((a, b) => a + b, 0);
  const reasons = [...failures]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([reason, count]) => `${formatCount(count)} × ${escapeText(reason, 40)}`);
  return [
    ["environments, people", `${countOf(run.environments.length, "environment")}, ${formatCount(people)} people`],
    [
      "requests",
      `${formatCount(counts.requests)} in ${countOf(counts.attempts, "attempt")}, of which ${formatCount(failed)} ` +
        `failed${failed > 0 ? ` (${reasons.join(", ")})` : ""}`,
    ],
    ["events accepted", `${formatCount(counts.events)}, for ${countOf(counts.recipients, "recipient")} in all`],
    [
      "live inboxes",
      `${formatCount(evidence.liveInboxes.size)}, which connected ${countOf(evidence.connections, "time")} and ` +
        `received ${countOf(counts.messagesLive, "message")}`,
    ],
    [
      "provider calls",
      `${formatCount(deliveries.length)}, of which ${formatCount(listDuplicates(deliveries).length)} repeated a ` +
        "message that the provider had accepted",
    ],
  ];
}

function describePlan({ evidence: { run, faults }, kinds }: Proof): string[] {
  const tried = kinds.reduce((sum, { occurrences }) => sum + occurrences.length, 0);
  const notMade = faults.filter(({ problem }) => problem);
  const absent = allKinds.filter((kind) => !faults.some(({ fault }) => fault === kind));
  const planned = absent.filter((kind) => run.plan.some(({ fault }) => fault === kind));
  const overlaps = countOverlaps(faults);
  const pairs = overlaps
    .slice(0, maxOverlaps)
    .map(({ kinds: pair, times }) => `${pair.map(nameKind).join(" and ")} (${countOf(times, "time")})`);
  const more = overlaps.length - pairs.length;
  return [
    wrapText(
      `The run caused ${countOf(tried, "failure")} of ${countOf(kinds.length, "kind")}. ` +
        "[What clients noticed](#failures-and-what-clients-noticed) is listed below.",
    ),
    ...(pairs.length > 0
      ? [
          wrapText(
            `Some were in effect at the same time: ${pairs.join(", ")}${more > 0 ? `, and ${more} more pairs` : ""}.`,
          ),
        ]
      : ["No two of them were in effect at the same time."]),
    ...(notMade.length > 0
      ? [
          `**Planned, but not made:**\n\n${notMade
            .slice(0, maxOverlaps)
            .map(({ fault, problem }) => wrapText(`- ${nameKind(fault)}: ${quoteText(problem ?? "")}`))
            .join("\n")}`,
        ]
      : []),
    ...(planned.length > 0
      ? [
          wrapText(
            `**Planned, but without a record, and therefore counted as not made:** ${joinWords(planned.map(nameKind))}.`,
          ),
        ]
      : []),
    ...(absent.length > planned.length
      ? [wrapText(`Not part of this run: ${joinWords(absent.filter((one) => !planned.includes(one)).map(nameKind))}.`)]
      : []),
  ];
}
