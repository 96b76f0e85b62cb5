// Workflows of another installation. Each is found by its identifier, and written only when it differs, so that a
// repeated import creates no new versions.
import type { CallInput, Workflow } from "@tidings/contract";
import { importTranslations } from "./configuration.ts";
import { UnknownOperatorError } from "./novu-rules.ts";
import { adaptValues, hindranceOf, novuSettings, novuSettingsNote } from "./novu-workflow.ts";
import { count, type ImportReport, noteOnce } from "./report.ts";
import { attempt, findOrNull, isSame, withoutNulls } from "./requests.ts";
import { type Import, readAllPages, unwrap } from "./source.ts";

type Body = Omit<CallInput<"workflows.create">["body"], "workflowId">;

export async function importWorkflows({ source, target, report }: Import): Promise<void> {
  const workflows = await readAllPages<Workflow>((query) => source.workflows.list({ query }), "workflows");
  for (const { workflowId, origin } of workflows.toReversed()) {
    const hindrance = hindranceOf({ origin });
    if (hindrance) {
      report.byHand.push(`workflow ${workflowId}: ${hindrance}`);
      continue;
    }
    const workflow = unwrap(await source.workflows.retrieve({ params: { workflowId } }));
    const body = bodyFor(report, workflow);
    if (!body) continue;
    const isDone = await attempt(report, `workflow ${workflowId}`, () =>
      writeWorkflow({ target, report }, workflowId, body),
    );
    if (isDone && workflow.isTranslationEnabled)
      await importTranslations({ source, target, report }, "workflow", workflowId);
  }
}

/** What to write; null for a workflow that has to be brought over by hand. */
function bodyFor(report: ImportReport, workflow: Workflow): Body | null {
  const { workflowId } = workflow;
  if (report.source === "tidings") return bodyOf(workflow);
  noteOnce(report, novuSettingsNote);
  try {
    const steps = workflow.steps.map((step) => {
      const where = `workflow ${workflowId}, step ${step.stepId}`;
      return { ...step, controls: { values: adaptValues(report, where, step, valuesOf(step)) } };
    });
    return bodyOf({ ...workflow, ...novuSettings, steps });
  } catch (error) {
    if (!(error instanceof UnknownOperatorError)) throw error;
    report.byHand.push(
      `workflow ${workflowId}: ${error.message}, which Tidings does not have; create it with another condition`,
    );
    return null;
  }
}

const valuesOf = ({ controls, controlValues }: Workflow["steps"][number]) => controls?.values ?? controlValues ?? {};

/** A workflow as a request writes it. The same for both installations, so that they can be compared. */
function bodyOf(workflow: Workflow): Body {
  const { name, description, tags, active, validatePayload, payloadSchema, preferences, steps } = workflow;
  const { isTranslationEnabled, severity, outsideSchedule, onUnknownOutcome } = workflow;
  const { isCommercial, messageClass, priority } = workflow;
  return {
    name,
    ...withoutNulls({ description, tags, active, validatePayload, payloadSchema }),
    ...withoutNulls({ isTranslationEnabled, severity, outsideSchedule, onUnknownOutcome }),
    ...withoutNulls({ isCommercial, messageClass, priority }),
    preferences: withoutNulls({ user: preferences?.user, workflow: preferences?.default }),
    steps: steps.map((step) => ({
      ...{ stepId: step.stepId, name: step.name, type: step.type, controlValues: valuesOf(step) },
      ...withoutNulls({ active: step.active, shouldStopOnFail: step.shouldStopOnFail }),
      ...withoutNulls({ filters: step.filters, deadlineSeconds: step.deadlineSeconds }),
    })),
  } as Body;
}

async function writeWorkflow(
  { target, report }: Pick<Import, "target" | "report">,
  workflowId: string,
  body: Body,
): Promise<void> {
  const former = await findOrNull(() => target.workflows.retrieve({ params: { workflowId } }));
  if (former && hasAll(bodyOf(former), body)) {
    count(report.unchanged, "workflows");
    listIssues(report, former);
    return;
  }
  const idsOf = new Map(former?.steps.map(({ stepId, _id }) => [stepId, _id]));
  const written = former
    ? await target.workflows.update({
        params: { workflowId },
        body: {
          ...body,
          preferences: body.preferences ?? {},
          origin: former.origin,
          steps: body.steps.map((step) => ({ ...step, _id: idsOf.get(step.stepId!) })),
        },
      })
    : await target.workflows.create({ body: { ...body, workflowId } });
  count(former ? report.updated : report.created, "workflows");
  listIssues(report, written);
}

/** Whether the stored workflow has everything that would be written; the other installation may leave members out. */
function hasAll(stored: Body, wanted: Body): boolean {
  const { steps, ...rest } = wanted;
  return (
    isPartOf(rest, stored) &&
    steps.length === stored.steps.length &&
    steps.every((step, at) => {
      const { controlValues, ...other } = step;
      const found = stored.steps[at]!;
      return isSame(controlValues ?? {}, found.controlValues ?? {}) && isPartOf(other, found);
    })
  );
}

const isPartOf = (wanted: object, stored: object): boolean =>
  Object.entries(wanted).every(([name, value]) => isSame(value, (stored as Record<string, unknown>)[name]));

function listIssues({ changed }: ImportReport, { workflowId, steps }: Workflow): void {
  for (const { stepId, issues } of steps)
    for (const [field, found] of Object.entries(issues?.controls ?? {}))
      changed.push(`workflow ${workflowId}, step ${stepId}, ${field}: ${found[0]?.message ?? "has an issue"}`);
}
