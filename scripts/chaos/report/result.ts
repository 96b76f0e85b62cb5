// The first section of the report: what was broken, what was not, and what was not tried.
import type { Break, Run, Verdict } from "../../auditor/evidence.ts";
import { nameKind } from "./fault-kinds.ts";
import type { Finding } from "./findings.ts";
import { countOf, escapeText, formatCount, joinWords, quoteText, wrapText } from "./markdown.ts";
import type { Proof } from "./proof.ts";
import { describeDate } from "./setting.ts";

const maxBreaks = 5;

export const isTried = ({ checked, brokenCount }: Verdict): boolean => checked > 0 || brokenCount > 0;

export function describeResult({ evidence, figures, promises, findings }: Proof): string[] {
  const { audit, run } = evidence;
  if (!audit)
    return [
      "**No auditor has judged this run. Nothing on this page says that a promise was kept.**",
      ...warn(evidence),
    ];
  const broken = audit.verdicts.filter(({ brokenCount }) => brokenCount > 0);
  const tried = audit.verdicts.filter(isTried);
  const untried = [
    ...audit.verdicts.filter((one) => !isTried(one)).map(({ title }) => title),
    ...promises.filter(({ id }) => !audit.verdicts.some(({ promise }) => promise === id)).map(({ title }) => title),
  ];
  const compared = formatCount(tried.reduce((sum, { checked }) => sum + checked, 0));
  const verdict =
    tried.length === 0
      ? "**No promise was tried.**"
      : broken.length > 0
        ? `**${formatCount(broken.length)} of ${countOf(tried.length, "promise")} ` +
          `${broken.length === 1 ? "was" : "were"} broken.** The auditor made ${compared} comparisons.` +
          (broken.every((one) => explain(findings, run, one))
            ? " Each break is explained below, and its cause is fixed."
            : "")
        : `No promise was broken. The auditor tried ${countOf(tried.length, "promise")} with ${compared} comparisons.`;
  const otherRun = `**The audit is of a run with the seed ${audit.seed}, and this one has the seed ${run.seed}.**`;
  const accepted =
    figures.neverAccepted === 0
      ? "Clients repeated requests after errors until they were accepted, which all of them were in the end."
      : `**${countOf(figures.neverAccepted, "request")} ${figures.neverAccepted === 1 ? "was" : "were"} never ` +
        "accepted**, although clients repeated them. The service promises nothing for these, and their clients know.";
  return [
    ...(audit.seed === run.seed ? [] : [otherRun]),
    wrapText(verdict),
    ...broken.flatMap((one) => [...describeBroken(one, run.startedAt), ...describeCause(explain(findings, run, one))]),
    ...(untried.length > 0 ? [describeUntried(untried)] : []),
    wrapText(accepted),
    ...warn(evidence),
  ];
}

/** The finding that explains all breaks of the promise in this run and no other one, if its cause is fixed. */
const explain = (findings: readonly Finding[], run: Run, { promise, brokenCount }: Verdict): Finding | undefined =>
  findings.find(({ commit, explains }) => {
    const isOfRun = explains?.seed === run.seed && explains.date === describeDate(run);
    return commit !== "open" && isOfRun && brokenCount <= (explains.breaks[promise] ?? 0);
  });

const describeCause = (finding: Finding | undefined): string[] =>
  finding?.explains
    ? [wrapText(`**Explained.** ${escapeText(finding.explains.how, 600)} Fixed in \`${finding.commit}\`.`)]
    : [];

function warn({ unreadable, crashes, run }: Proof["evidence"]): string[] {
  const ends = crashes.slice(0, maxBreaks).map(({ process, at, code, signal, faults }) => {
    const during = faults && faults.length > 0 ? `, during ${joinWords(faults.map((one) => quoteText(one, 80)))}` : "";
    const way = escapeText(signal ?? `code ${code}`, 40);
    return wrapText(
      `- ${escapeText(process, 40)}, with ${way}, ${((at - run.startedAt) / 1_000).toFixed(1)} s after the start${during}`,
    );
  });
  const times = countOf(crashes.length, "time");
  return [
    ...(crashes.length > 0 ? [`**A process of the service ended unexpectedly ${times}**:`, ends.join("\n")] : []),
    ...(unreadable > 0 ? [describeUnreadable(unreadable)] : []),
  ];
}

const describeUnreadable = (unreadable: number): string =>
  `**${countOf(unreadable, "line")} of the evidence could not be read, and ${unreadable === 1 ? "is" : "are"} missing here.**`;

const describeUntried = (titles: string[]): string =>
  wrapText(
    `This run did not try ${countOf(titles.length, "promise")}, and says nothing about ` +
      `${titles.length === 1 ? "it" : "them"}: ${joinWords(titles.map((one) => quoteText(one)))}.`,
  );

function describeBroken({ promise, title, checked, broken, brokenCount }: Verdict, startedAt: number): string[] {
  const head =
    `**Broken: ${escapeText(promise)}. ${escapeText(title, 400)}.** ${formatCount(brokenCount)} of ` +
    `${countOf(checked, "comparison")} failed.`;
  const shown = broken.slice(0, maxBreaks).map((one) => wrapText(`- ${describeBreak(one, startedAt)}`));
  const more = brokenCount - shown.length;
  if (more > 0) shown.push(`- and ${formatCount(more)} more`);
  return [wrapText(head), shown.join("\n")];
}

function describeBreak({ what, at, faults, detail }: Break, startedAt: number): string {
  const seconds = at === undefined ? null : (at - startedAt) / 1_000;
  const when = seconds === null ? "" : `, ${seconds.toFixed(1)} s after the start`;
  const during = faults && faults.length > 0 ? `, during ${joinWords(faults.map(nameKind))}` : "";
  const details = detail === undefined ? "" : ` (${escapeText(JSON.stringify(detail) ?? "", 400)})`;
  return `${quoteText(what)}${when}${during}${details}`;
}
