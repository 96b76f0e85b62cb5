// trigger_test: a real event, for a person who is marked as a test person and for nobody else.
import { isJsonObject } from "@tidings/contract";
import { answerOf, id, plural, quote } from "../answer.ts";
import { optional, payload, subscriberId, workflowId } from "../arguments.ts";
import { changingTool, Refusal } from "../tool.ts";

/** The member of a subscriber's `data` that makes a test person of it. Only somebody who may change people sets it. */
const testPersonMember = "isTestPerson";

export const triggerTest = changingTool(
  {
    name: "trigger_test",
    title: "Trigger a test",
    description: `Sends a real event of a saved workflow to one test person: a subscriber whose data has ${testPersonMember}: true. Everybody else is refused. explain shows the outcome.`,
    operations: ["events.trigger", "subscribers.retrieve"],
    input: { workflowId, subscriberId, payload: optional(payload) },
    run: async (host, { workflowId, subscriberId, payload }) => {
      const person = await host.call("subscribers.retrieve", { params: { subscriberId } });
      if (!isJsonObject(person.data) || person.data[testPersonMember] !== true)
        throw new Refusal(
          `${id(subscriberId)} is not a test person: data.${testPersonMember} is not true. Nothing was sent. Use dry_run for real people.`,
        );
      // A topic or a new person cannot be meant: the id is that of a subscriber who was just read.
      const body = { name: workflowId, to: person.subscriberId, payload };
      const { status, transactionId, error = [] } = await host.call("events.trigger", { body });
      if (status !== "processed" || transactionId === undefined)
        throw new Refusal(
          [`The event was not accepted: ${status}. Nothing was sent.`, ...error.map((text) => quote(text))].join("\n"),
        );
      return answerOf([
        `Event ${id(transactionId)} of workflow ${id(workflowId)} was accepted for test person ${id(person.subscriberId)} (${plural(1, "recipient")}).`,
        "Call explain with this transactionId for its outcome.",
        host.linkTo(`/activity/${encodeURIComponent(transactionId)}`),
      ]);
    },
  },
  { destructiveHint: false, idempotentHint: false, openWorldHint: true },
);
