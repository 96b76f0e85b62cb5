// What the templates of a step may use, with sample values: from the service, the chosen subscriber and payload, recent
// events, and the texts of the workflow.
import type { JsonObject } from "@tidings/contract";
import { earlierSteps } from "@tidings/contract/arms";
import { useMemo } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { type Names, samplesIn } from "../../../fields/completion/names.ts";
import { variableNames } from "../../../steps/variable-names.ts";
import type { DraftStep, Values } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { type Preview, sampleResults } from "../preview/use-preview.ts";
import type { Sample } from "../preview/use-sample.ts";

/** Variables as the service names them: for the draft, else for the saved step. */
export const servedVariables = (
  { workflow }: Editor,
  step: DraftStep,
  preview: Preview,
): JsonObject | null | undefined =>
  preview.data?.variables ?? workflow.steps.find(({ _id }) => _id === step._id)?.variables;

/** The reader of previews that name no subscriber, as the service has it. */
const sampleSubscriber = {
  subscriberId: "ada",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  locale: "en_US",
};

export function useNames(
  { workflow, draft }: Editor,
  step: DraftStep,
  sample: Sample,
  served: JsonObject | null | undefined,
): Names {
  const { subscriber, payload, recent } = sample;
  const { name: workflowName, steps, payloadSchema, isTranslationEnabled } = draft;
  const person = useOperation(
    "subscribers.retrieve",
    { params: { subscriberId: subscriber?.subscriberId ?? "" } },
    { enabled: subscriber !== undefined, staleTime: 60_000 },
  ).data;
  const texts = useOperation(
    "translations.retrieveMaster",
    { query: {} },
    { enabled: isTranslationEnabled, staleTime: 60_000 },
  ).data?.workflows[workflow.workflowId];
  const brand = useOperation("brand.retrieve", {}, { staleTime: 60_000 }).data?.brand;
  const at = steps.findIndex(({ key }) => key === step.key);
  const withSecrets = step.type === "http_request";
  return useMemo(() => {
    const before = earlierSteps(steps, at);
    const payloads = recent.map((event) => event.payload);
    const scope = {
      payload: Object.assign({}, ...payloads.toReversed(), payload ?? {}) as Values,
      subscriber: person ?? sampleSubscriber,
      steps: sampleResults(before, payload ?? {}),
      workflow: { name: workflowName, workflowId: workflow.workflowId },
      ...(brand !== undefined && { brand }),
      ...(texts !== undefined && { t: texts }),
    };
    const samples = Object.fromEntries([
      ...samplesIn(texts, "t"),
      ...samplesIn(scope.subscriber, "subscriber"),
      ...samplesIn(scope.payload, "payload"),
      ...samplesIn(brand, "brand"),
    ]);
    const own = Object.keys(samples).filter((name) => name.startsWith("subscriber.data.") || name.startsWith("t."));
    const variables = [...new Set([...variableNames(served, scope.payload, { withSecrets }), ...own])];
    return { variables, samples, scope, schema: payloadSchema };
  }, [
    served,
    withSecrets,
    steps,
    at,
    recent,
    payload,
    person,
    texts,
    brand,
    payloadSchema,
    workflowName,
    workflow.workflowId,
  ]);
}
