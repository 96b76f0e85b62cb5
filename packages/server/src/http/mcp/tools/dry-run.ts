// dry_run and simulate: what an event would do. Nothing is sent or written.
import { type DryRun, type DryRunEvent, identifiers, messageEvents, type StepIn } from "@tidings/contract";
import { oneOf, openObject, Type } from "@tidings/contract/schema";
import { answerOf, id, plural, quote } from "../answer.ts";
import { limit, optional, payload, stepId, subscriberId, workflowId } from "../arguments.ts";
import { stepLines } from "../explained.ts";
import { Refusal, readingTool } from "../tool.ts";

function linesOf({ workflow, status, error = [], note, time, ...result }: DryRun, withContent: boolean): string[] {
  const { recipients, notReached, audienceCount, truncated } = result;
  return [
    `Nothing was sent. Calculated for ${time}: workflow ${id(workflow.workflowId)} (${quote(workflow.name)}), the event would be ${status}.`,
    ...error.map((text) => `Error: ${quote(text)}`),
    ...(note ? [quote(note)] : []),
    ...(audienceCount > 0 ? [`The topics have ${plural(audienceCount, "member")}.`] : []),
    ...recipients.flatMap((one) => [
      `Person ${id(one.subscriberId)}${one.isNew ? " (unknown here; the event would create the person)" : ""}: ${one.reached ? "reached" : "not reached"} (${one.via.kind}). ${quote(one.verdict, 1_000)}`,
      ...stepLines(one.steps, { withContent }),
    ]),
    ...notReached.slice(0, 20).map((one) => `Not reached: ${id(one.subscriberId)}. ${quote(one.via.text)}`),
    ...(notReached.length > 20 ? [`${notReached.length - 20} more are not reached.`] : []),
    ...(truncated ? ["There are more recipients than are shown: raise the limit."] : []),
  ];
}

const key = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

export const dryRun = readingTool({
  name: "dry_run",
  title: "Dry run",
  description:
    "Shows what an event of a saved workflow would do now: who would get what, when and through which provider, and who would not and why. Nothing is sent.",
  operations: ["explain.dryRun"],
  input: {
    workflowId,
    subscriberIds: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        minItems: 1,
        maxItems: 50,
        description: "Recipients",
      }),
    ),
    topicKey: optional(key("A topic as recipient")),
    audienceId: optional(key("An audience as recipient")),
    payload: optional(payload),
    withContent: optional(Type.Boolean({ default: false, description: "Also show the contents of the messages" })),
    limit: optional(limit(50, 5)),
  },
  run: async (
    host,
    { workflowId, subscriberIds = [], topicKey, audienceId, payload, withContent = false, limit = 5 },
  ) => {
    const to: DryRunEvent["to"] = [
      ...subscriberIds,
      ...(topicKey === undefined ? [] : [{ type: "Topic" as const, topicKey }]),
      ...(audienceId === undefined ? [] : [{ type: "Audience" as const, audienceId }]),
    ];
    if (to.length === 0) throw new Refusal("Name recipients: subscriberIds, topicKey or audienceId.");
    const body = { name: workflowId, to, payload };
    const result = await host.call("explain.dryRun", { query: { limit }, body });
    return answerOf([...linesOf(result, withContent), host.linkTo(`/workflows/${encodeURIComponent(workflowId)}`)]);
  },
});

const draftStep = Type.Object(
  {
    stepId,
    name: optional(Type.String({ minLength: 1, maxLength: 128 })),
    type: Type.String({ minLength: 1, maxLength: 32, description: "Such as `email`, `delay`, `digest`" }),
    controlValues: optional(openObject({ maxJsonBytes: 131_072, description: "As read_workflow shows them" })),
  },
  { additionalProperties: false },
);

export const simulate = readingTool({
  name: "simulate",
  title: "Simulate",
  description:
    "Runs one event through a workflow for one person with assumptions: messages are read or not, signals arrive, digests collect events. With steps, a draft is simulated instead of the saved steps. Nothing is sent or saved.",
  operations: ["explain.dryRun"],
  input: {
    workflowId,
    subscriberId,
    payload: optional(payload),
    steps: optional(Type.Array(draftStep, { minItems: 1, maxItems: 50, description: "Unsaved steps of the workflow" })),
    digestedEvents: optional(
      Type.Integer({ minimum: 1, maximum: 100, description: "Events in a digest that closes, all like this one" }),
    ),
    isRead: optional(Type.Boolean({ description: "In-app messages are seen and read before later steps start" })),
    messages: optional(
      Type.Array(Type.Object({ stepId, event: oneOf(messageEvents) }, { additionalProperties: false }), {
        maxItems: 20,
        description: "What happens to messages of earlier steps while the run waits",
      }),
    ),
    signals: optional(
      Type.Array(
        Type.Object(
          { name: Type.String(identifiers.signal), data: optional(openObject({ maxJsonBytes: 16_384 })) },
          { additionalProperties: false },
        ),
        { maxItems: 20, description: "Signals that arrive while the run waits for them; the others time out" },
      ),
    ),
  },
  run: async (host, { workflowId, subscriberId, payload, steps, digestedEvents, isRead, messages, signals }) => {
    const assume = { digestedEvents, isRead, messages, signals };
    const which = steps
      ? {
          workflow: {
            name: workflowId,
            workflowId,
            steps: steps.map((one) => ({ name: one.stepId, ...one }) as StepIn),
          },
        }
      : { name: workflowId };
    const body = { ...which, to: subscriberId, payload, assume };
    const result = await host.call("explain.dryRun", { query: { limit: 1 }, body });
    return answerOf([
      steps ? "A draft was simulated; the saved workflow is unchanged." : null,
      ...linesOf(result, true),
      host.linkTo(`/workflows/${encodeURIComponent(workflowId)}`),
    ]);
  },
});
