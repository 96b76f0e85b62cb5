// A broadcast, its checklist and its results as people read them.
import type { Broadcast, BroadcastCheck, BroadcastPreview, BroadcastResults } from "@tidings/contract";
import { type Output, plainText } from "../../output.ts";

const number = (count: number): string => count.toLocaleString("en");

/** "1 person", "31,204 people". */
export const peopleText = (count: number): string => `${number(count)} ${count === 1 ? "person" : "people"}`;

export const isEnded = ({ status }: Broadcast): boolean => ["completed", "stopped", "failed"].includes(status);

/** "1,500 of 31,204 people"; a dash until they are fixed. */
export const progressText = ({ people, started, perMinute }: Broadcast["progress"]): string =>
  people === null
    ? "–"
    : `${number(started)} of ${peopleText(people)}${perMinute > 0 && started < people ? `, ${number(perMinute)} a minute` : ""}`;

const timeText = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

export function printBroadcast(out: Output, broadcast: Broadcast): void {
  const { _id, name, status, progress, failure, transactionId, approval, audience } = broadcast;
  out.line(`${out.style("bold", _id)} ${plainText(name)}: ${status.replaceAll("_", " ")}`);
  const { include, exclude = [], everyone } = audience;
  const whom = everyone ? "everyone" : include.join(", ") || "no audience yet";
  out.line(`  to ${plainText(whom)}${exclude.length > 0 ? ` without ${plainText(exclude.join(", "))}` : ""}`);
  if (progress.people !== null) out.line(`  ${progressText(progress)}${lossText(progress)}`);
  if (progress.nextAt && !isEnded(broadcast)) out.line(`  next people: ${timeText(progress.nextAt)}`);
  if (failure) out.line(`  ${out.style("yellow", plainText(failure))}`);
  if (approval?.isApproved === false && approval.note) out.line(`  returned: ${plainText(approval.note)}`);
  if (transactionId) out.line(out.style("dim", `  ${transactionId}`));
}

function lossText({ gone, expired, failed }: Broadcast["progress"]): string {
  const parts = [
    ...(gone > 0 ? [`${number(gone)} deleted before their turn`] : []),
    ...(expired > 0 ? [`${number(expired)} expired`] : []),
    ...(failed > 0 ? [`${number(failed)} could not be started`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

const marks = { ok: ["✓", "green"], warning: ["!", "yellow"], problem: ["✗", "red"] } as const;

export function printCheck(out: Output, { items, status }: BroadcastCheck): void {
  for (const { level, sentence } of items) {
    const [mark, color] = marks[level];
    out.line(`${out.style(color, mark)} ${plainText(sentence)}`);
  }
  if (status === "failed") out.line(out.style("red", "The check could not be completed."));
}

export const hasProblems = ({ items, status }: BroadcastCheck): boolean =>
  status === "failed" || items.some(({ level }) => level === "problem");

/** Long texts, such as the HTML of an email, are cut; --json has them whole. */
const maxText = 160;

export function printPreviews(out: Output, previews: readonly BroadcastPreview[]): void {
  if (previews.length === 0) out.line("No one is in its audience.");
  for (const { subscriberId, name, messages } of previews) {
    out.line(out.style("bold", plainText(name === null ? subscriberId : `${subscriberId} ${name}`)));
    for (const { type, sentence, content } of messages) {
      out.line(`  ${type}: ${plainText(sentence)}`);
      for (const [field, value] of Object.entries(content ?? {})) {
        if (typeof value !== "string" || value === "") continue;
        const text = plainText(value).replace(/\s+/g, " ");
        out.line(`    ${field}: ${text.length > maxText ? `${text.slice(0, maxText)}…` : text}`);
      }
    }
  }
}

export function printResults(out: Output, { counted, isCapped, outcomes, causes, variants }: BroadcastResults): void {
  out.line(`${isCapped ? "The first " : ""}${peopleText(counted)}`);
  const rows = Object.entries(outcomes).map(([outcome, count]) => [outcome.replaceAll("_", " "), number(count)]);
  if (rows.length > 0) out.table(["outcome", "people"], rows);
  for (const { sentence } of causes) out.line(`  ${plainText(sentence)}`);
  if (variants.length > 0)
    out.table(
      ["experiment", "variant", "people", "outcomes"],
      variants.map(({ stepId, variant, name, people, outcomes: own }) => [
        stepId,
        plainText(name ?? variant),
        number(people),
        Object.entries(own)
          .map(([outcome, count]) => `${outcome.replaceAll("_", " ")} ${number(count)}`)
          .join(", "),
      ]),
    );
}
