// What conditions know about their variables: the schema of the step, and the sample payload with its subscriber.
import type { JsonObject } from "@tidings/contract";
import { useMemo } from "react";
import { useOperation } from "../../../api/hooks.ts";
import type { Knowledge } from "../../../fields/condition-types.ts";
import type { Sample } from "./use-sample.ts";

export function useKnowledge(schema: JsonObject | null | undefined, { subscriber, payload }: Sample): Knowledge {
  const { data } = useOperation(
    "subscribers.retrieve",
    { params: { subscriberId: subscriber?.subscriberId ?? "" } },
    { enabled: subscriber !== undefined, staleTime: 60_000 },
  );
  return useMemo(() => ({ schema, sample: { payload, ...(data && { subscriber: data }) } }), [schema, payload, data]);
}
