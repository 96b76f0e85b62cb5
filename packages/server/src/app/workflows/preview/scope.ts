// What the templates of a preview read: a person, a payload, and results of earlier steps that the caller gives.
import type { Brand, StepPreviewIn } from "@tidings/contract";
import type { Caller, Ctx } from "../../../context.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { languageOf } from "../../../lib/words/languages.ts";
import { peekClock } from "../../../pipeline/clock/clock.ts";
import { clockScope, previewLinks, subscriberScope, textsFor } from "../../../pipeline/rules/scope.ts";
import { toVariables } from "../../../pipeline/run/variables.ts";
import type { VariableRow } from "../../../store/environments/variables.ts";
import { listTranslations, type Resource } from "../../../store/workflows/translations.ts";
import type { WorkflowRow } from "../../../store/workflows/workflows.ts";
import { requireSubscriber } from "../../subscribers/subscribers.ts";
import { sampleSubscriber } from "../layouts.ts";

type Given = Pick<StepPreviewIn, "subscriberId" | "locale" | "payload" | "steps"> & {
  step: Pick<StepPreviewIn["step"], "type">;
  brand: Brand;
  contextData: JsonObject;
  pagesUrl: string;
  env: readonly VariableRow[];
};

export async function loadSubscriber(
  ctx: Ctx,
  caller: Caller,
  { subscriberId, locale }: Pick<Given, "subscriberId" | "locale">,
) {
  const stored =
    subscriberId === undefined
      ? sampleSubscriber
      : subscriberScope(await requireSubscriber(ctx, caller, subscriberId))!;
  return { ...stored, locale: locale ?? stored.locale };
}

/** `textsOf`: the translations of a workflow or a layout in the language of the person. */
export async function loadScope(ctx: Ctx, caller: Caller, given: Given, workflow: WorkflowRow | null) {
  const { environmentId } = caller;
  const subscriber = await loadSubscriber(ctx, caller, given);
  const clock = await peekClock(ctx, environmentId);
  const roots = {
    ...clockScope(
      subscriber.timezone,
      ctx.config.defaultTimezone,
      clock.now(environmentId),
      workflow?.is_translation_enabled ? languageOf(subscriber.locale) : undefined,
    ),
    subscriber,
    payload: given.payload ?? {},
    workflow: workflow
      ? {
          workflowId: workflow.workflow_id,
          name: workflow.name,
          description: workflow.description,
          tags: workflow.tags,
          severity: workflow.severity,
        }
      : {},
    context: given.contextData,
    brand: given.brand,
    env: toVariables(given.env).plain,
    steps: given.steps ?? {},
    ...(given.step.type === "email" && previewLinks(given.pagesUrl, subscriber.locale)),
  };
  const textsOf = async (resource: Resource) =>
    textsFor(await listTranslations(ctx.db, environmentId, resource), subscriber.locale, roots);
  const t = workflow?.is_translation_enabled ? await textsOf({ type: "workflow", id: workflow.id }) : undefined;
  return { scope: { ...roots, t }, textsOf };
}
