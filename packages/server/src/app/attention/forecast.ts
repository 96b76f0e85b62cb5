// What a budget would have done to the messages of the last days, message by message and person by person.
import {
  type AttentionBudget,
  type AttentionForecast,
  type Channel,
  type ForecastChannel,
  type Input,
  type Output,
  rollUpWorkflowId,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { pauseIfDue } from "../../lib/load/pauses.ts";
import { messageWords } from "../../pipeline/attention/details.ts";
import { budgetsOf } from "../../pipeline/attention/ledger.ts";
import { messageClassOf } from "../../pipeline/attention/message-class.ts";
import { replayMessages } from "../../pipeline/attention/replay.ts";
import { zoneOf } from "../../pipeline/rules/zones.ts";
import { listPastMessages, type PastMessageRow } from "../../store/attention/past-messages.ts";
import { findWorkflow, listWorkflowClasses, type WorkflowClass } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";
import { readBudgets } from "./read-budgets.ts";

/** Read at once, since people are replayed one after the other: some 60 MB. */
const maxMessages = 200_000;
const maxWorkflows = 20;
const dayMs = 86_400_000;

export async function forecast(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"attention.forecast">,
): Promise<Output<"attention.forecast">> {
  const { environmentId } = caller;
  const budgets = readBudgets(body.budgets);
  const { days = 30 } = body;
  const clock = await environmentClock(ctx, caller);
  const to = clock.now(environmentId);
  const from = new Date(to.getTime() - days * dayMs);
  const rollUp = await findWorkflow(ctx.db, environmentId, rollUpWorkflowId);
  const rows = await listPastMessages(ctx.db, environmentId, {
    channels: [...new Set(budgets.map(({ channel }) => channel))],
    from,
    fromId: clock.isStopped(environmentId) ? null : firstIdAt(from),
    without: rollUp?.id ?? null,
    limit: maxMessages + 1,
  });
  const classes = new Map((await listWorkflowClasses(ctx.db, environmentId)).map((row) => [row.id, row]));
  const isPartial = rows.length > maxMessages;
  // The last person may be cut off.
  const last = rows.at(-1)?.subscriber_id;
  const complete = isPartial ? rows.filter((row) => row.subscriber_id !== last) : rows;
  const tally = await replayAll(complete, budgets, { classes, defaultTimezone: ctx.config.defaultTimezone });
  const channels = [...tally.channels.values()];
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    isPartial,
    channels,
    workflows: byHeld(tally.workflows, classes),
    sentences: channels.map((channel) => sentenceOf(channel, days)),
  };
}

type WorkflowTally = { messages: number; held: number };
type Tally = { channels: Map<Channel, ForecastChannel>; workflows: Map<string, WorkflowTally> };
type Around = { classes: ReadonlyMap<string, WorkflowClass>; defaultTimezone: string };

const emptyChannel = (channel: Channel): ForecastChannel => ({
  channel,
  messages: 0,
  sent: 0,
  rolledUp: 0,
  rollUps: 0,
  delayed: 0,
  dropped: 0,
  people: 0,
});

const members = { sent: "sent", rolled_up: "rolledUp", delayed: "delayed", dropped: "dropped" } as const;

async function replayAll(rows: PastMessageRow[], budgets: AttentionBudget[], around: Around): Promise<Tally> {
  const channels = new Map(budgets.map(({ channel }) => [channel, emptyChannel(channel)]));
  const workflows = new Map<string, WorkflowTally>();
  for (const own of Map.groupBy(rows, (row) => `${row.subscriber_id} ${row.channel}`).values()) {
    await pauseIfDue();
    replayPerson(own, budgets, around, { channels, workflows });
  }
  return { channels, workflows };
}

function replayPerson(rows: PastMessageRow[], budgets: AttentionBudget[], around: Around, tally: Tally): void {
  const { channel, timezone, attention } = rows[0]!;
  const counted = rows.flatMap((row) => {
    const known = around.classes.get(row.workflow_id);
    const messageClass = known ? messageClassOf(known) : "transactional";
    return messageClass === "critical" ? [] : [{ ...row, messageClass }];
  });
  const zone = zoneOf(timezone, around.defaultTimezone);
  const past = counted.map(({ at, messageClass }) => ({ at: at.getTime(), messageClass }));
  const { outcomes, rollUps } = replayMessages(past, budgetsOf(budgets, channel, attention), zone);
  const sums = tally.channels.get(channel)!;
  const held = outcomes.filter((outcome) => outcome !== "sent").length;
  sums.messages += rows.length;
  // Critical messages are sent in any case.
  sums.sent += rows.length - counted.length;
  sums.rollUps += rollUps;
  if (held > 0) sums.people++;
  for (const outcome of outcomes) sums[members[outcome]]++;
  for (const [index, { workflow_id }] of counted.entries()) {
    const own = tally.workflows.get(workflow_id) ?? { messages: 0, held: 0 };
    own.messages++;
    if (outcomes[index] !== "sent") own.held++;
    tally.workflows.set(workflow_id, own);
  }
}

const byHeld = (
  tallies: ReadonlyMap<string, WorkflowTally>,
  classes: ReadonlyMap<string, WorkflowClass>,
): AttentionForecast["workflows"] =>
  [...tallies]
    .flatMap(([id, { messages, held }]) => {
      const known = classes.get(id);
      return known && held > 0 ? [{ workflowId: known.workflowId, name: known.name, messages, held }] : [];
    })
    .sort((a, b) => b.held - a.held || (a.workflowId < b.workflowId ? -1 : 1))
    .slice(0, maxWorkflows);

const number = new Intl.NumberFormat("en-US");

/** Such as "In the last 30 days, 1,204 of 31,000 emails would have been rolled up into 380". */
function sentenceOf({ channel, messages, rolledUp, rollUps, delayed, dropped }: ForecastChannel, days: number): string {
  const [one, many] = messageWords[channel];
  const time = days === 1 ? "In the last day" : `In the last ${days} days`;
  const all = `${number.format(messages)} ${messages === 1 ? one : many}`;
  const parts = [
    ...(rolledUp > 0 ? [[rolledUp, `rolled up into ${number.format(rollUps)}`] as const] : []),
    ...(delayed > 0 ? [[delayed, "delayed"] as const] : []),
    ...(dropped > 0 ? [[dropped, "dropped"] as const] : []),
  ];
  const [first, ...others] = parts;
  if (messages === 0) return `${time}, no ${many} were sent`;
  if (!first) return `${time}, all of ${all} would have been sent at once`;
  const more = others.map(([count, what]) => ` and ${number.format(count)} ${what}`).join("");
  return `${time}, ${number.format(first[0])} of ${all} would have been ${first[1]}${more}`;
}
