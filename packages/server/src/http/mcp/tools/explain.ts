// explain: why a person got a message or did not.

import { Type } from "@tidings/contract/schema";
import { answerOf, id, quote } from "../answer.ts";
import { optional, subscriberId, transactionId, workflowId } from "../arguments.ts";
import { stepLines } from "../explained.ts";
import { Refusal, readingTool, type ToolHost } from "../tool.ts";

type Wanted = { subscriberId: string; transactionId?: string; workflowId?: string; searchValue?: string };

/** The event that is meant: the given one, else the newest that fits, and how many others fit. */
async function findEvent(host: ToolHost, wanted: Wanted): Promise<{ transactionId: string; others: string[] }> {
  if (wanted.transactionId !== undefined) return { transactionId: wanted.transactionId, others: [] };
  const { workflowId, searchValue, subscriberId } = wanted;
  const filters = { ...(workflowId !== undefined && { workflowIds: [workflowId] }), searchValue, limit: 5 };
  const own = await host.call("activity.listEvents", { query: { ...filters, subscriberIds: [subscriberId] } });
  // An event that did not reach the person is not one of the person's.
  const isNarrow = workflowId !== undefined || searchValue !== undefined;
  const { data } = own.data.length > 0 || !isNarrow ? own : await host.call("activity.listEvents", { query: filters });
  const [newest, ...rest] = data;
  if (!newest)
    throw new Refusal(
      `No event fits. Events that never arrived here, or are older than the retention, are unknown. ` +
        `Look with list_activity, or name a transactionId.`,
    );
  return {
    transactionId: newest.transactionId,
    others: rest.map((one) => `${one.createdAt} ${id(one.workflow.workflowId)} ${id(one.transactionId)}`),
  };
}

export const explain = readingTool({
  name: "explain",
  title: "Explain why (not)",
  description:
    "Explains why a person got a message of an event, or did not: every step with its outcome, the reason, who decided it and until when it waits. Without transactionId, the newest event of the person that fits is explained.",
  operations: ["explain.retrieve"],
  input: {
    subscriberId,
    transactionId: optional(transactionId),
    workflowId: optional(workflowId),
    searchValue: optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "A value at a search key of the workflow, such as an order number",
      }),
    ),
  },
  run: async (host, input) => {
    const { transactionId, others } = await findEvent(host, input);
    const query = { transactionId, subscriberId: input.subscriberId };
    const found = await host.call("explain.retrieve", { query });
    const { event, verdict, via, reached, evaluatedNow, steps, notificationId, digestedInto, rollUp = [] } = found;
    return answerOf([
      `Event ${id(transactionId)} of workflow ${id(event.workflowId)} (${quote(event.workflowName)}), accepted ${event.time}, ${event.status}.`,
      `Person ${id(found.subscriberId)}${found.timezone ? `, time zone ${id(found.timezone)}` : ""}: ${reached ? "reached" : "not reached"} (${via.kind}). ${quote(via.text)}`,
      `In one sentence: ${quote(verdict, 1_000)}`,
      evaluatedNow &&
        "The reason was determined from current data: nothing is stored about people an event did not reach.",
      event.isTest && "The event is a test of a draft.",
      event.startedBy && `Started by another run: ${quote(event.startedBy.text)}`,
      ...stepLines(steps),
      digestedInto &&
        `Joined the digest of event ${id(digestedInto.transactionId)}, run ${id(digestedInto.notificationId)}: ${quote(digestedInto.verdict)}`,
      ...rollUp
        .slice(0, 20)
        .map((one) => `Rolled up: ${id(one.workflowId)} ${id(one.transactionId)}, held at ${one.heldAt}.`),
      notificationId && `Run: ${id(notificationId)}.`,
      others.length > 0 && `Newest of ${others.length + 1} events that fit. The others: ${others.join("; ")}.`,
      host.linkTo(`/activity/${encodeURIComponent(transactionId)}`),
    ]);
  },
});
