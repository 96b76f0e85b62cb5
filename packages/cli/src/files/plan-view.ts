// A plan as people read it: what is created, changed and deleted, in sentences; what becomes of runs under way; what has changed
// in the environment since the last pull.
import type { FileChange, FilesPlan } from "@tidings/contract";
import { countOf, type Output, plainText } from "../output.ts";
import { diffLines } from "./text-diff.ts";

const signs = { created: ["+", "green"], changed: ["~", "yellow"], deleted: ["-", "red"] } as const;
const driftWords = { created: "was made", changed: "was changed", deleted: "was deleted" } as const;

export function countChanges({ changes }: Pick<FilesPlan, "changes">): string {
  const count = (wanted: FileChange["action"]) => changes.filter(({ action }) => action === wanted).length;
  const parts = (["created", "changed", "deleted"] as const).flatMap((action) => {
    const number = count(action);
    return number > 0 ? [`${number} ${action}`] : [];
  });
  return parts.join(", ") || "nothing";
}

export function showPlan(out: Output, plan: FilesPlan, environment: string): void {
  for (const change of plan.changes) showChange(out, change);
  if (plan.drift.length > 0) {
    out.line(out.style("bold", `In ${plainText(environment)}, since your last pull or apply:`));
    for (const { type, id, kind, isOverwritten } of plan.drift)
      out.line(
        `  ${out.style("yellow", "!")} ${type} ${plainText(id)} ${driftWords[kind]}${isOverwritten ? ": this plan takes it back" : ""}`,
      );
    out.line();
  }
  for (const { type, id, reason } of plan.kept)
    out.line(out.style("dim", `  = ${type} ${plainText(id)} stays: ${plainText(reason)}`));
  if (plan.kept.length > 0) out.line();
  const summary =
    plan.changes.length === 0
      ? `No changes: ${plainText(environment)} is as the files say (${countOf(plan.unchanged, "resource")}).`
      : `${plainText(environment)}: ${countChanges(plan)}, ${plan.unchanged} unchanged.`;
  out.line(out.style("bold", summary));
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
