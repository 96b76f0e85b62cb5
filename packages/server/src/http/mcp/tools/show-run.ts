// show_run: one run with its steps, its payload and, if asked for, the contents of its messages.
import type { Notification } from "@tidings/contract";
import { Type } from "@tidings/contract/schema";
import { answerOf, block, id, jsonBlock, plural, quote } from "../answer.ts";
import { optional, subscriberId, transactionId } from "../arguments.ts";
import { Refusal, readingTool, type ToolHost } from "../tool.ts";

const recipientsShown = 20;

const personOf = ({ subscriber, _subscriberId }: Notification): string => id(subscriber?.subscriberId ?? _subscriberId);

const stepOf = (job: NonNullable<Notification["jobs"]>[number]): string[] => [
  `Step ${quote(job.step.name ?? job.type, 128)} (${job.type}): ${job.status}${job.providerId === "svc" ? "" : `, provider ${id(job.providerId)}`}.`,
  ...job.executionDetails
    .slice(-10)
    .map(
      ({ createdAt, status, detail, code }) =>
        `   ${createdAt ?? ""} ${status}: ${quote(detail)}${code ? ` (code ${id(code)})` : ""}`,
    ),
];

async function contentsOf(host: ToolHost, { transactionId, subscriber }: Notification): Promise<string[]> {
  const query = { transactionId: [transactionId], subscriberId: subscriber?.subscriberId, limit: 10 };
  const { data } = await host.call("messages.list", { query });
  return data.flatMap(({ _id = "", channel, subject, title, content }) => [
    `Message ${id(_id)} (${channel})${(subject ?? title) ? `, subject ${quote(subject ?? title)}` : ""}.`,
    block("Content", typeof content === "string" ? content : JSON.stringify(content ?? ""), 3_000),
  ]);
}

async function findRun(
  host: ToolHost,
  wanted: { notificationId?: string; transactionId?: string; subscriberId?: string },
) {
  const { notificationId, transactionId, subscriberId } = wanted;
  if (notificationId !== undefined) return [await host.call("notifications.retrieve", { params: { notificationId } })];
  if (transactionId === undefined) throw new Refusal("Give a notificationId, or a transactionId with a subscriberId.");
  const query = {
    transactionId,
    limit: recipientsShown,
    ...(subscriberId !== undefined && { subscriberIds: [subscriberId] }),
  };
  const { data } = await host.call("notifications.list", { query });
  if (data.length === 0)
    throw new Refusal(
      `Event ${id(transactionId)} has no run${subscriberId === undefined ? "" : ` for ${id(subscriberId)}`}. explain tells why.`,
    );
  return data;
}

export const showRun = readingTool({
  name: "show_run",
  title: "Show a run",
  description:
    "Shows the run of one recipient of an event: its steps with every execution detail, its payload, and with withContent the messages as they were sent.",
  operations: ["notifications.retrieve"],
  input: {
    notificationId: optional(Type.String({ minLength: 1, maxLength: 255, description: "Id of the run" })),
    transactionId: optional(transactionId),
    subscriberId: optional(subscriberId),
    withContent: optional(Type.Boolean({ default: false, description: "Also show the content of the messages" })),
  },
  run: async (host, { withContent = false, ...wanted }) => {
    const runs = await findRun(host, wanted);
    const [run] = runs;
    if (runs.length > 1)
      return answerOf([
        `The event has ${plural(runs.length, "run", runs.length === recipientsShown)}. Call again with one of them:`,
        ...runs.map((one) => `${id(one._id ?? "")}: ${personOf(one)}`),
        host.linkTo(`/activity/${encodeURIComponent(run!.transactionId)}`),
      ]);
    const workflow = run!.template?.triggers[0]?.identifier;
    return answerOf([
      `Run ${id(run!._id ?? "")} of event ${id(run!.transactionId)}, workflow ${id(workflow ?? "deleted")}, person ${personOf(run!)}, since ${run!.createdAt ?? "unknown"}.`,
      ...(run!.jobs ?? []).flatMap(stepOf),
      (run!.topics ?? []).length > 0 &&
        `Reached through topics: ${run!.topics!.map(({ topicKey }) => id(topicKey)).join(", ")}.`,
      run!.payload && jsonBlock("Payload", run!.payload, 3_000),
      ...(withContent ? await contentsOf(host, run!) : []),
      host.linkTo(`/activity/${encodeURIComponent(run!.transactionId)}`),
    ]);
  },
});
