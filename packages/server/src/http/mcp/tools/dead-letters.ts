// dead_letters and replay_dead_letters: messages that were given up, and sending them again at a pace.
import { deadLetterStatuses, errorClasses } from "@tidings/contract";
import { oneOf, Type } from "@tidings/contract/schema";
import { answerOf, id, plural, quote } from "../answer.ts";
import { channel, limit, optional, time, transactionId, workflowId } from "../arguments.ts";
import { changingTool, Refusal, readingTool, type ToolHost } from "../tool.ts";

const integrationIdentifier = Type.String({ minLength: 1, maxLength: 255, description: "The integration that failed" });

const filters = {
  workflowId: optional(workflowId),
  transactionId: optional(transactionId),
  integrationIdentifier: optional(integrationIdentifier),
  channel: optional(channel),
  errorClass: optional(oneOf(errorClasses, { description: "Class of the error" })),
  after: optional(time("Given up after this time (ISO 8601)")),
  before: optional(time("Given up before this time (ISO 8601)")),
};

async function groupLines(host: ToolHost): Promise<string[]> {
  const { data, totalCount } = await host.call("deadLetters.listGroups", {});
  if (totalCount === 0) return ["No message is waiting as a dead letter."];
  return [
    `${plural(totalCount, "open dead letter")}, by cause:`,
    ...data.slice(0, 20).map((group) => {
      const { integrationIdentifier, errorClass, count, errorText, workflows, isCircuitOpen, isIntegrationActive } =
        group;
      const state = [
        isCircuitOpen && "its circuit breaker is open",
        !isIntegrationActive && "the integration is inactive",
      ];
      const names = workflows.slice(0, 5).map((one) => `${id(one.workflowId)} ${one.count}`);
      return `${count} of integration ${id(integrationIdentifier)} (${group.channel}), ${errorClass}: ${quote(errorText)}. ${[...state.filter(Boolean), `workflows: ${names.join(", ")}`, `since ${group.firstAt}`].join("; ")}`;
    }),
  ];
}

export const deadLetters = readingTool({
  name: "dead_letters",
  title: "Dead letters",
  description:
    "Shows messages that were given up after all attempts: by cause, and one by one with filters. replay_dead_letters sends them again.",
  operations: ["deadLetters.list"],
  input: {
    ...filters,
    status: optional(oneOf(deadLetterStatuses, { default: "open", description: "open if not given" })),
    limit: optional(limit(50, 10)),
    cursor: optional(Type.String({ pattern: "^[0-9]{1,4}$", description: "From the end of the last answer" })),
  },
  run: async (host, { status = "open", limit = 10, cursor = "0", ...filter }) => {
    const page = Number(cursor);
    const [groups, { data, totalCount, hasMore }] = await Promise.all([
      page === 0 && Object.keys(filter).length === 0 ? groupLines(host) : [],
      host.call("deadLetters.list", { query: { ...filter, status, limit, page } }),
    ]);
    return answerOf([
      ...groups,
      `${plural(totalCount, `${status} letter`)} ${totalCount === 1 ? "matches" : "match"} the filter.`,
      ...data.map(
        (one) =>
          `${id(one.id)}: ${one.channel} to person ${id(one.subscriberId)}, workflow ${id(one.workflowId)}, step ${id(one.stepId)}, event ${id(one.transactionId)}, integration ${id(one.integrationIdentifier)}, ${plural(one.attempts, "attempt")}, given up ${one.createdAt}, ${one.errorClass}: ${quote(one.errorText)}`,
      ),
      hasMore && `More: call again with cursor ${page + 1}`,
      host.linkTo("/dead-letters"),
    ]);
  },
});

export const replayDeadLetters = changingTool(
  {
    name: "replay_dead_letters",
    title: "Replay dead letters",
    description:
      "Sends open dead letters again, at a pace. Real messages reach real people. Needs ids or a filter, and atMost: the number that dead_letters showed; if more match, nothing is sent.",
    operations: ["deadLetterReplays.create", "deadLetterReplays.preview"],
    input: {
      ids: optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          minItems: 1,
          maxItems: 100,
          description: "These letters",
        }),
      ),
      ...filters,
      atMost: Type.Integer({ minimum: 1, maximum: 50_000, description: "Nothing is sent if more letters match" }),
      perSecond: optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: "Messages per second" })),
    },
    run: async (host, { ids, atMost, perSecond = 10, ...filter }) => {
      const isFiltered = Object.keys(filter).length > 0;
      if ((ids === undefined) === !isFiltered)
        throw new Refusal("Give either ids or at least one filter: all dead letters at once are not replayed.");
      // Letters that appear from now on were not among those that dead_letters showed.
      const selection = ids ? { ids } : { filter: { before: host.now().toISOString(), ...filter } };
      const { total, willBeSent, others } = await host.call("deadLetterReplays.preview", { body: selection });
      if (total === 0) throw new Refusal("No open dead letter matches. Nothing was sent.");
      if (total > atMost)
        throw new Refusal(`${plural(total, "letter")} match, more than atMost (${atMost}). Nothing was sent.`);
      const replay = await host.call("deadLetterReplays.create", { body: { ...selection, perSecond } });
      return answerOf([
        `Replay ${id(replay.id)} ${replay.status}: ${plural(replay.total, "letter")}, ${replay.perSecond} per second. ${willBeSent} can be sent now.`,
        ...others.map(({ count, text }) => `${count}: ${quote(text)}`),
        host.linkTo(`/dead-letters/replays/${encodeURIComponent(replay.id)}`),
      ]);
    },
  },
  { destructiveHint: true, idempotentHint: false, openWorldHint: true },
);
