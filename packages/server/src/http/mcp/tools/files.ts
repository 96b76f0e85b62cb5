// validate_and_plan_files and apply_plan: configuration as files, checked, compared and, once the plan was shown,
// applied. A plan has an id, which is a signature over the files and the state of the environment: applying asks for
// the same files and the id, so nothing else than what was shown is applied, by any process of the service.
import type { FileChange, FilesPlan } from "@tidings/contract";
import { Type } from "@tidings/contract/schema";
import { type FileProblem, readFolder } from "../../../app/files/folder/index.ts";
import { canonicalJson } from "../../../lib/json.ts";
import { answerOf, id, plural, quote } from "../answer.ts";
import { optional } from "../arguments.ts";
import { memoryFolder } from "../memory-folder.ts";
import { changingTool, Refusal, readingTool, type ToolHost } from "../tool.ts";

/** A folder of files. */
export const filesInput = Type.Array(
  Type.Object(
    {
      path: Type.String({ minLength: 1, maxLength: 500, description: "Such as workflows/welcome/workflow.yaml" }),
      content: Type.String({ maxLength: 1_000_000 }),
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: 2_000,
    description: "All files of a folder as `tidings pull` writes it, tidings.yaml included",
  },
);

const input = {
  files: filesInput,
  prune: optional(
    Type.Boolean({ default: false, description: "Also delete workflows, layouts and categories that the files lack" }),
  ),
};

type Given = { files: { path: string; content: string }[]; prune?: boolean };

const describe = ({ file, line, column, message }: FileProblem): string =>
  `${file}:${line}:${column} ${quote(message)}`;

/** The resources of the files; throws for files with errors. */
export function readFiles(files: Given["files"]) {
  const { resources, problems } = readFolder(memoryFolder(files));
  if (problems.length > 0)
    throw new Refusal(
      [`The files have ${plural(problems.length, "error")}:`, ...problems.slice(0, 100).map(describe)].join("\n"),
    );
  return resources;
}

async function planOf(host: ToolHost, { files, prune = false }: Given) {
  const resources = readFiles(files);
  const plan = await host.call("files.plan", { body: { resources, prune } });
  return { resources, prune, plan, content: canonicalJson({ resources, prune, fingerprint: plan.fingerprint }) };
}

function changeLines({ type, id: name, action, sentences, settings, steps, inFlight, notes }: FileChange): string[] {
  const fields = [
    ...settings.map(({ field }) => field),
    ...steps.map((step) => `step ${step.stepId} ${step.hasMoved && step.kind === "changed" ? "moved" : step.kind}`),
  ];
  return [
    `${action} ${type} ${id(name)}${fields.length > 0 ? `: ${fields.slice(0, 20).map(id).join(", ")}` : ""}`,
    ...sentences.slice(0, 20).map((text) => `   ${quote(text)}`),
    ...(inFlight && inFlight.total > 0 ? [`   Runs in progress: ${inFlight.total}. ${quote(inFlight.text)}`] : []),
    ...notes.slice(0, 10).map((text) => `   Note: ${quote(text)}`),
  ];
}

const planLines = ({ changes, unchanged, kept, drift, issues }: Omit<FilesPlan, "fingerprint">): string[] => [
  ...changes.flatMap(changeLines),
  `${plural(changes.length, "change")}, ${unchanged} unchanged, ${kept.length} kept that the files lack.`,
  ...drift
    .slice(0, 20)
    .map(
      (one) =>
        `Changed in the environment since: ${one.type} ${id(one.id)} was ${one.kind}${one.isOverwritten ? "; applying reverts it" : ""}.`,
    ),
  ...issues
    .slice(0, 50)
    .map(
      (one) =>
        `${one.isBlocking ? "Blocking issue" : "Issue"} in ${one.type} ${id(one.id)}, ${id(one.field)}: ${quote(one.message)}`,
    ),
];

export const validateAndPlanFiles = readingTool({
  name: "validate_and_plan_files",
  title: "Validate and plan files",
  description:
    "Checks a folder of workflow files and shows what applying it to the environment would change, in sentences. Changes nothing. Returns a plan id for apply_plan.",
  operations: ["files.plan"],
  input,
  run: async (host, given) => {
    const { plan, content } = await planOf(host, given);
    const isBlocked = plan.issues.some(({ isBlocking }) => isBlocking);
    const next =
      plan.changes.length === 0
        ? "There is nothing to apply."
        : isBlocked
          ? "It cannot be applied before the blocking issues are corrected."
          : `Plan id: ${host.signPlan(content)}. Show the plan to the person who decides; apply_plan takes the id with the same files.`;
    return answerOf([next, "The files are valid.", ...planLines(plan), host.linkTo("/workflows")]);
  },
});

export const applyPlan = changingTool(
  {
    name: "apply_plan",
    title: "Apply a plan",
    description:
      "Applies a plan that validate_and_plan_files showed: the same files and its plan id. Refused if the files or the environment have changed since.",
    operations: ["files.apply", "files.plan"],
    input: {
      ...input,
      planId: Type.String({ minLength: 20, maxLength: 200, description: "Of the plan that was shown" }),
    },
    run: async (host, { planId, ...given }) => {
      const { resources, prune, plan, content } = await planOf(host, given);
      if (!host.isPlanSigned(content, planId))
        throw new Refusal(
          "The plan id does not belong to these files and the present state of the environment. Nothing was applied. Call validate_and_plan_files again, and show the new plan.",
        );
      const body = { resources, prune, expectedFingerprint: plan.fingerprint };
      const applied = await host.call("files.apply", { body });
      return answerOf(["The plan was applied.", ...planLines(applied), host.linkTo("/workflows")]);
    },
  },
  { destructiveHint: true, idempotentHint: true, openWorldHint: false },
);
