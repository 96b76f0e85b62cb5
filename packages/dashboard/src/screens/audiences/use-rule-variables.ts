// Reads what the builder suggests: data of some subscribers, keys of topics, ids of audiences and workflows.
import { useMemo } from "react";
import { useOperation } from "../../api/hooks.ts";
import { ruleVariables } from "./variables.ts";

const some = 50;
const options = { staleTime: 60_000 };

/** `audienceId`: the audience of the rule, which cannot name itself. */
export function useRuleVariables(audienceId: string | undefined) {
  const subscribers = useOperation("subscribers.list", { query: { limit: some } }, options).data?.data;
  const topics = useOperation("topics.list", { query: { limit: some } }, options).data?.data;
  const audiences = useOperation("audiences.list", { query: { limit: some } }, options).data?.data;
  const workflows = useOperation("workflows.list", { query: { limit: some } }, options).data?.workflows;
  return useMemo(
    () =>
      ruleVariables({
        subscribers: subscribers ?? [],
        topics: (topics ?? []).map(({ key }) => key),
        audiences: (audiences ?? []).map((one) => one.audienceId).filter((id) => id !== audienceId),
        workflows: (workflows ?? []).map(({ workflowId }) => workflowId),
      }),
    [subscribers, topics, audiences, workflows, audienceId],
  );
}
