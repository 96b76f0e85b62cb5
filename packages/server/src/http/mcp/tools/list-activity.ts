// list_activity: the newest events with what happened to their recipients.
import { notificationOutcomes, type Output } from "@tidings/contract";
import { oneOf, Type } from "@tidings/contract/schema";
import { answerOf, id, more, plural, quote } from "../answer.ts";
import { channel, cursor, limit, optional, subscriberId, time, transactionId, workflowId } from "../arguments.ts";
import { readingTool } from "../tool.ts";

type Event = Output<"activity.listEvents">["data"][number];

function lineOf({
  createdAt,
  transactionId,
  workflow,
  recipients,
  isCapped,
  outcomes,
  status,
  ...event
}: Event): string {
  const counts = Object.entries(outcomes).flatMap(([outcome, count]) => (count > 0 ? [`${count} ${outcome}`] : []));
  const who = event.recipient ? id(event.recipient.subscriberId) : plural(recipients, "recipient", isCapped);
  const key = event.searchKey ? ` ${id(event.searchKey.key)} ${quote(event.searchKey.value, 80)}` : "";
  const what = [`${id(workflow.workflowId)}${key} to ${who}`, status, ...counts, event.isTest && "test"];
  return `${createdAt} ${id(transactionId)}: ${what.filter(Boolean).join(", ")}. ${quote(event.verdict)}`;
}

export const listActivity = readingTool({
  name: "list_activity",
  title: "List activity",
  description:
    "Lists events, newest first, with how many recipients got something, and why not. All filters must match.",
  operations: ["activity.listEvents"],
  input: {
    subscriberId: optional(subscriberId),
    email: optional(
      Type.String({ minLength: 3, maxLength: 320, description: "Complete email address of a recipient" }),
    ),
    workflowId: optional(workflowId),
    transactionId: optional(transactionId),
    outcome: optional(oneOf(notificationOutcomes, { description: "Events with a recipient of this outcome" })),
    channel: optional(channel),
    search: optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "A value of the payload, or part of a transaction id, person id or email address",
      }),
    ),
    after: optional(time("Events later than this time (ISO 8601)")),
    before: optional(time("Events earlier than this time (ISO 8601)")),
    limit: optional(limit(50, 20)),
    cursor: optional(cursor),
  },
  run: async (host, { subscriberId, email, workflowId, outcome, channel, limit = 20, ...rest }) => {
    const query = {
      ...rest,
      limit,
      ...(subscriberId !== undefined && { subscriberIds: [subscriberId] }),
      ...(email !== undefined && { emails: [email] }),
      ...(workflowId !== undefined && { workflowIds: [workflowId] }),
      ...(outcome !== undefined && { outcome: [outcome] }),
      ...(channel !== undefined && { channels: [channel] }),
    };
    const { data, next, scannedTo } = await host.call("activity.listEvents", { query });
    return answerOf([
      data.length === 0 ? "No event fits." : `${plural(data.length, "event")}, newest first:`,
      ...data.map(lineOf),
      next && scannedTo && `Searched back to ${scannedTo}.`,
      more(next),
      host.linkTo("/activity"),
    ]);
  },
});
