// Exports past events as a scenario: a test that brings about the same on a test clock and expects the same messages.
import { type Input, maxScenarioEvents, maxScenarioSubscribers, type Output, type Scenario } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { peekClock } from "../../pipeline/clock/clock.ts";
import { cancelReason } from "../../pipeline/run/cancel-event.ts";
import { loadVersions } from "../../pipeline/run/versions.ts";
import { findBudgets } from "../../store/attention/budgets.ts";
import { inReadOnlyTransaction } from "../../store/db.ts";
import { scanEvents } from "../../store/events/activity.ts";
import { type EventRow, findEventOfTransaction, findEvents } from "../../store/events/events.ts";
import {
  findCancelTimes,
  findDigestEvents,
  findEventsWithFiles,
  findScenarioMessages,
  findScenarioPreferences,
  findScenarioRecipients,
  hasOpenJobs,
  measureEvents,
  type ScenarioRecipient,
} from "../../store/events/scenarios.ts";
import { findSubscribersByIds, findSubscribersByKeys } from "../../store/subscribers/subscribers.ts";
import { findTenants } from "../../store/subscribers/tenants.ts";
import { maxId, minId } from "./activity.ts";
import { buildScenario } from "./scenario-view.ts";
import { findAwaitedSignals } from "./scenarios/awaited-signals.ts";
import type { Happened } from "./scenarios/happened.ts";
import { findResponses } from "./scenarios/responses.ts";

type Query = Input<"scenarios.export">["query"];

const maxMessages = 500;
const maxRecipients = 1_000;
const maxPayloadBytes = 1_000_000;
/** Events that are examined for those between two times: on a test clock, times are not in the order of ids. */
const maxScanned = 20_000;
/** Ids are generated a moment before or after the time of their row. */
const slackMs = 60_000;

export async function exportScenario(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"scenarios.export">,
): Promise<Output<"scenarios.export">> {
  return inReadOnlyTransaction(ctx.db, async (tx) => {
    const happened = await readHappened({ ...ctx, db: tx }, caller, query);
    const { scenario, notes } = await buildScenario(happened);
    return { scenario, notes, yaml: await writeFile(scenario, notes) };
  });
}

async function writeFile(scenario: Scenario, notes: string[]): Promise<string> {
  const { toYaml } = await import("./scenario-yaml.ts");
  return notes.map((note) => `# ${note.replaceAll(/\s+/g, " ")}\n`).join("") + toYaml(scenario);
}

async function readHappened(ctx: Ctx, caller: Caller, query: Query): Promise<Happened> {
  const { environmentId } = caller;
  const clock = await peekClock(ctx, environmentId);
  const isTestClock = clock.isStopped(environmentId);
  const eventIds = await findEventIds(ctx, environmentId, query, isTestClock);
  refuseMore(eventIds.length, maxScenarioEvents, `${maxScenarioEvents} events`);
  const bytes = await measureEvents(ctx.db, environmentId, eventIds);
  refuseMore(bytes, maxPayloadBytes, "1 MB of payloads");
  const events = (await findEvents(ctx.db, environmentId, eventIds)).filter(({ refusal }) => refusal === null);
  const recipients = await findScenarioRecipients(ctx.db, environmentId, eventIds, maxRecipients + 1);
  refuseMore(recipients.length, maxRecipients, `${maxRecipients} notifications`);
  const messages = await findScenarioMessages(ctx.db, environmentId, eventIds, maxMessages + 1);
  refuseMore(messages.length, maxMessages, `${maxMessages} messages`);
  const subscribers = await findPeople(
    ctx,
    environmentId,
    events,
    recipients.map((row) => row.subscriber_id),
  );
  const preferences = await findScenarioPreferences(
    ctx.db,
    environmentId,
    subscribers.map(({ id }) => id),
    [...new Set(events.map((event) => event.workflow_id))],
  );
  const versions = await loadVersions(ctx, [...new Set(events.map((event) => event.workflow_version_id))]);
  const people = {
    subscriberIds: subscribers.map(({ id }) => id),
    since: new Date(Math.min(...events.map(createdMs))),
  };
  const signals = await findAwaitedSignals(ctx, environmentId, { ...people, versions: versions.values() });
  const named = events.flatMap(({ tenant }) => tenant ?? []);
  const tenants = await findTenants(ctx.db, environmentId, [...new Set(named)]);
  const withFiles = await findEventsWithFiles(ctx.db, environmentId, eventIds);
  const canceled = await findCancelTimes(ctx.db, environmentId, eventIds, cancelReason);
  const isOpen =
    events.some((event) => isExpanding(event, recipients)) || (await hasOpenJobs(ctx.db, environmentId, eventIds));
  return {
    events,
    recipients,
    messages,
    signals,
    requests: await findResponses(ctx, environmentId, { versions, eventIds }),
    subscribers,
    preferences,
    versions,
    budgets: await findBudgets(ctx.db, environmentId),
    tenants: new Map(tenants.map((row) => [row.identifier, row])),
    canceled,
    withFiles,
    isOpen,
    isTestClock,
    now: clock.now(environmentId),
  };
}

const createdMs = ({ created_at }: EventRow): number => created_at.getTime();

/** Notifications of the event are still to be created. */
function isExpanding(
  { id, audience, expanded_at, canceled_at, recipients }: EventRow,
  made: ScenarioRecipient[],
): boolean {
  if (canceled_at) return false;
  if (audience) return expanded_at === null;
  return made.filter(({ event_id }) => event_id === id).length < recipients.length;
}

function refuseMore(count: number, most: number, words: string): void {
  if (count > most) throw failure("SCENARIO_TOO_LARGE", { most: words });
}

async function findEventIds(
  ctx: Ctx,
  environmentId: string,
  { transactionId, from, to }: Query,
  isTestClock: boolean,
): Promise<string[]> {
  if (transactionId !== undefined) {
    if (from ?? to) throw invalid({ general: { messages: ["Give either transactionId, or from and to"] } });
    const event = await findEventOfTransaction(ctx.db, environmentId, transactionId);
    if (!event || event.refusal) throw failure("TRANSACTION_NOT_FOUND", { transactionId });
    return findDigestEvents(ctx.db, environmentId, event.id, maxScenarioEvents + 1);
  }
  if (from === undefined || to === undefined) {
    throw invalid({ general: { messages: ["Give transactionId, or from and to"] } });
  }
  const [after, before] = [new Date(Date.parse(from) - 1), new Date(Date.parse(to) + 1)];
  if (after >= before) throw invalid({ from: { messages: ["from must not be later than to"], value: from } });
  const { rows } = await scanEvents(
    ctx.db,
    environmentId,
    { after, before },
    {
      from: isTestClock ? minId : firstIdAt(new Date(Math.max(0, after.getTime() - slackMs))),
      below: isTestClock ? maxId : firstIdAt(new Date(before.getTime() + slackMs)),
      scan: maxScanned,
      limit: maxScenarioEvents + 1,
    },
  );
  if (rows.length === 0) {
    throw invalid({ from: { messages: ["No event was accepted between from and to"], value: from } });
  }
  return rows.map(({ id }) => id);
}

/** Everyone the events reached, and their actors. */
async function findPeople(ctx: Ctx, environmentId: string, events: EventRow[], reached: string[]) {
  const ids = [...new Set(reached)];
  refuseMore(ids.length, maxScenarioSubscribers, `${maxScenarioSubscribers} subscribers`);
  const people = await findSubscribersByIds(ctx.db, environmentId, ids);
  const known = new Set(people.map((person) => person.subscriber_id));
  const actors = events.flatMap(({ actor }) => actor?.subscriberId ?? []).filter((id) => !known.has(id));
  const further = await findSubscribersByKeys(
    ctx.db,
    environmentId,
    [...new Set(actors)].slice(0, maxScenarioSubscribers),
  );
  return [...people, ...further];
}
