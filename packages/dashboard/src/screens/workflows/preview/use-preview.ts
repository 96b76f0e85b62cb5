// What the service makes of the chosen step as it is typed: its content, errors of its templates, and the variables
// that it may use.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { PreviewFault, PreviewResult } from "@tidings/contract";
import { earlierSteps } from "@tidings/contract/arms";
import { useMemo } from "react";
import type { ApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import { editorSteps } from "../../../steps/registry.gen.ts";
import { type DraftStep, unsavedId, type Values } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import type { Sample } from "./use-sample.ts";

type PreviewData = { result: PreviewResult; faults: PreviewFault[]; variables?: Values };
export type Preview = { data: PreviewData | undefined; error: ApiError | null };

export function usePreview(
  { workflow, draft }: Editor,
  step: DraftStep,
  { subscriber, payload, context, locale, assume }: Sample,
): Preview {
  const { steps, payloadSchema, isTranslationEnabled } = draft;
  const { _id: environmentId } = useEnvironment();
  const body = useMemo(() => {
    const before = earlierSteps(
      steps,
      steps.findIndex(({ key }) => key === step.key),
    );
    return {
      step: { type: step.type, stepId: step.stepId, controlValues: step.controlValues },
      ...(workflow._id !== unsavedId && { workflowId: workflow._id }),
      ...(subscriber && { subscriberId: subscriber.subscriberId }),
      ...(locale !== undefined && isTranslationEnabled && { locale }),
      payload: payload ?? {},
      ...(context !== "" && { context: Object.fromEntries([context.split(":")]) }),
      ...(before.some(({ type }) => editorSteps[type].sampleResult) && {
        steps: sampleResults(before, payload ?? {}, assume.digestedEvents),
      }),
      draft: {
        steps: before.map(({ stepId, type, controlValues }) => ({ stepId, type, controlValues })),
        payloadSchema,
        isTranslationEnabled,
      },
    };
  }, [
    steps,
    payloadSchema,
    isTranslationEnabled,
    step,
    workflow._id,
    subscriber,
    payload,
    context,
    locale,
    assume.digestedEvents,
  ]);
  const settled = useSettled(body);
  return useQuery<PreviewData, ApiError>({
    queryKey: [environmentId, "workflows.preview", settled],
    queryFn: async ({ signal }) =>
      (await callOperation("workflows.preview", { body: settled, signal }, environmentId)).data,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    // Back from another screen, the brand, the layout or the texts may have changed.
    refetchOnMount: "always",
  });
}

/** Results of earlier steps that templates need to show anything. */
export const sampleResults = (before: readonly DraftStep[], payload: object, eventCount = 1): Record<string, unknown> =>
  Object.fromEntries(
    before.flatMap(({ stepId, type, controlValues }) => {
      const result = editorSteps[type].sampleResult?.(payload, eventCount, controlValues);
      return result ? [[stepId, result]] : [];
    }),
  );
