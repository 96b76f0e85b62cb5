// A plan as people read it: what is created, changed and deleted, in sentences; what happens to runs in progress; what
// has changed in the environment since the last pull.
import { type FileChange, type FileIssue, type FilesPlan, unlistedReason } from "@tidings/contract";
import { CliError } from "../failure.ts";
import { countOf, type Output, plainText } from "../output.ts";
import { describeProblem } from "./problems.ts";
import type { LocalFiles } from "./read-folder.ts";
import { diffLines } from "./text-diff.ts";

const signs = { created: ["+", "green"], changed: ["~", "yellow"], deleted: ["-", "red"] } as const;
const driftWords = { created: "was created", changed: "was changed", deleted: "was deleted" } as const;

export function countChanges({ changes }: Pick<FilesPlan, "changes">): string {
  const count = (wanted: FileChange["action"]) => changes.filter(({ action }) => action === wanted).length;
  const parts = (["created", "changed", "deleted"] as const).flatMap((action) => {
    const number = count(action);
    return number > 0 ? [`${number} ${action}`] : [];
  });
  return parts.join(", ") || "nothing";
}

/** `local`: the files of the plan, where there are any: issues are reported by file and line. */
export function showPlan(out: Output, plan: FilesPlan, environment: string, local?: LocalFiles): void {
  for (const change of plan.changes) showChange(out, change);
  for (const issue of plan.issues) {
    const word = issue.isBlocking ? out.style("red", "error") : out.style("yellow", "warning");
    out.line(`${word} ${plainText(describeIssue(issue, local))}`);
  }
  if (plan.issues.length > 0) out.line();
  if (plan.drift.length > 0) {
    out.line(out.style("bold", `In ${plainText(environment)}, since ${describeSince(plan.driftSince)}:`));
    for (const { type, id, kind, isOverwritten } of plan.drift)
      out.line(
        `  ${out.style("yellow", "!")} ${type} ${plainText(id)} ${driftWords[kind]}${isOverwritten ? ": this plan reverts it" : ""}`,
      );
    out.line();
  }
  showKept(out, plan.kept);
  const summary =
    plan.changes.length === 0
      ? `No changes: ${plainText(environment)} is as the files say (${countOf(plan.unchanged, "resource")}).`
      : `${plainText(environment)}: ${countChanges(plan)}, ${plan.unchanged} unchanged.`;
  out.line(out.style("bold", summary));
}

/** Resources that are not in the files are named while they are few: an environment may have several repositories. */
const maxUnlisted = 5;

function showKept(out: Output, kept: FilesPlan["kept"]): void {
  const unlisted = kept.filter(({ reason }) => reason === unlistedReason);
  const isMany = unlisted.length > maxUnlisted;
  for (const { type, id, reason } of isMany ? kept.filter((one) => !unlisted.includes(one)) : kept) {
    const text = reason === unlistedReason ? "it is not in the files; --prune deletes it" : reason;
    out.line(out.style("dim", `  = ${type} ${plainText(id)} stays: ${plainText(text)}`));
  }
  if (isMany) {
    const counts = [...Map.groupBy(unlisted, ({ type }) => type)].map(([type, some]) => countOf(some.length, type));
    out.line(out.style("dim", `  = ${counts.join(" and ")} stay: they are not in the files; --prune deletes them`));
  }
  if (kept.length > 0) out.line();
}

/** A folder without a state file, as on a build server, relies on what the service remembers. */
const describeSince = (since: FilesPlan["driftSince"]): string =>
  since?.kind === "applied"
    ? `files were applied last${since.at ? ` (${since.at.slice(0, 16).replace("T", " ")} UTC)` : ""}`
    : "your last pull or apply";

/** `steps.0.controlValues.layoutId: Layout nope does not exist …`, at its place in the files. */
function describeIssue({ type, id, field, message }: FileIssue, local: LocalFiles | undefined): string {
  const text = `${field.replace(/^resources\.\w+\.\d+\./, "")}: ${message}`;
  return local ? describeProblem({ ...local.locate(field), message: text }) : `${type} ${id}  ${text}`;
}

const countBlocking = ({ issues }: FilesPlan): number => issues.filter(({ isBlocking }) => isBlocking).length;

export const isRefused = (plan: FilesPlan, isAllowed: boolean): boolean => !isAllowed && countBlocking(plan) > 0;

/** What the service calls broken is not put in place without a word. */
export function refuseIssues(plan: FilesPlan, isAllowed: boolean): void {
  if (isRefused(plan, isAllowed))
    throw new CliError(`The plan has ${countOf(countBlocking(plan), "error")}: steps that fail. Nothing was changed.`, {
      fix: "Correct them, or add --allow-issues.",
    });
}

function showChange(out: Output, change: FileChange): void {
  const { type, id, name, action, sentences, inFlight, notes } = change;
  const [sign, color] = signs[action];
  const title = name === id ? id : `${id} (${name})`;
  out.line(`${out.style(color, sign)} ${out.style("bold", `${type} ${plainText(title)}`)} ${action}`);
  for (const sentence of sentences) out.line(`    ${plainText(sentence)}`);
  showTexts(out, change);
  if (inFlight) {
    out.line(`    ${out.style("cyan", `${inFlight.isCapped ? "At least " : ""}${plainText(inFlight.text)}`)}`);
    for (const { count, step, version, wait } of inFlight.data)
      out.line(out.style("dim", `      ${count} at step ${plainText(step.stepId)} of version ${version} (${wait})`));
  }
  for (const note of notes) out.line(`    ${out.style("magenta", "!")} ${plainText(note)}`);
  out.line();
}

/** The texts of templates are too long for a sentence: the lines that differ. */
function showTexts(out: Output, { settings, steps, action }: FileChange): void {
  if (action !== "changed") return;
  const bodies = [
    ...settings.filter(({ field }) => field === "body").map((field) => ({ ...field, of: "body" })),
    ...steps
      .filter(({ kind }) => kind === "changed")
      .flatMap(({ stepId, fields }) =>
        fields.filter(({ field }) => field === "controlValues.body").map((field) => ({ ...field, of: stepId })),
      ),
  ];
  for (const { of, before, after } of bodies) {
    if (typeof before !== "string" || typeof after !== "string") continue;
    out.line(out.style("dim", `      ${plainText(of)}`));
    for (const { sign, text } of diffLines(before, after))
      out.line(`      ${out.style(sign === "+" ? "green" : "red", `${sign} ${plainText(text)}`)}`);
  }
}
