// Runs one scenario: given subscribers, when events happen at their times, then these messages are sent and no others.
import { setTimeout as sleep } from "node:timers/promises";
import type { CallInput, Scenario, ScenarioSubscriber } from "@tidings/contract";
import { moveClock } from "../clock-moves.ts";
import { CliError } from "../failure.ts";
import type { TestedFiles } from "../files/tested-files.ts";
import type { Session } from "../session.ts";
import { perform } from "./actions.ts";
import { type Stage, withStage } from "./environment.ts";
import { compareMessages, type Mismatch, momentMs, type SentMessage } from "./expect.ts";
import { settleAttention, settleSteps } from "./settled-steps.ts";
import { compareSteps } from "./step-outcomes.ts";

/** How long after the last action the clock continues, unless the scenario says: what waits longer is not seen. */
const defaultTailMs = 365 * 86_400_000;

export async function runScenario(
  session: Session,
  files: TestedFiles | null,
  scenario: Scenario,
  signal: AbortSignal,
): Promise<Mismatch[]> {
  const { variables } = scenario.given;
  return withStage(session, files, { name: "tidings test", variables }, async (stage) => {
    const startMs = Date.parse(scenario.given.time);
    await settleSteps(stage, scenario.given);
    await settleAttention(stage, scenario.given);
    await moveClock(stage, { now: new Date(startMs).toISOString() }, signal);
    await prepare(stage, scenario);
    const actions = scenario.when
      .map((action) => ({ action, ms: momentMs(action.at, startMs) }))
      .toSorted((a, b) => a.ms - b.ms);
    for (const { action, ms } of actions) {
      if (ms < 0) throw new CliError(`An action at ${action.at} is before the start, ${scenario.given.time}.`);
      await moveTo(stage, startMs + ms, signal);
      await perform(stage, action, startMs + ms);
      // Moving a clock to its current time returns when nothing is left to do.
      await moveTo(stage, startMs + ms, signal);
    }
    const last = Math.max(0, ...actions.map(({ ms }) => ms));
    const until = scenario.until === undefined ? last + defaultTailMs : momentMs(scenario.until, startMs);
    await moveTo(stage, startMs + Math.max(last, until), signal);
    const messages = compareMessages(scenario.then, await readSent(stage, startMs), startMs);
    return [...messages, ...(await compareSteps(stage, scenario))];
  });
}

const moveTo = (stage: Stage, ms: number, signal: AbortSignal) =>
  moveClock(stage, { now: new Date(ms).toISOString() }, signal);

async function prepare({ tidings }: Stage, { given }: Scenario): Promise<void> {
  const { subscribers = [], topics = {} } = given;
  if (subscribers.length > 0) {
    const { failed } = await tidings.subscribers.createBulk({ body: { subscribers: subscribers.map(fieldsOf) } });
    const [first] = failed ?? [];
    if (first) throw new CliError(`The subscriber ${first.subscriberId ?? ""} was refused: ${first.message}`);
  }
  for (const subscriber of subscribers) await prepareSubscriber(tidings, subscriber);
  for (const [topicKey, members] of Object.entries(topics)) {
    const { errors = [] } = await tidings.topicSubscriptions.create({
      params: { topicKey },
      body: { subscriptions: members },
    });
    const [first] = errors;
    if (first) throw new CliError(`A member of the topic ${topicKey} was refused: ${JSON.stringify(first)}`);
  }
}

function fieldsOf({ preferences: _, schedule: __, channels: ___, ...fields }: ScenarioSubscriber) {
  return fields as Record<string, unknown>;
}

async function prepareSubscriber(tidings: Stage["tidings"], subscriber: ScenarioSubscriber): Promise<void> {
  const params = { subscriberId: subscriber.subscriberId };
  const { preferences = {}, schedule, channels = [] } = subscriber;
  for (const [workflow, { digestFrequency, ...choices }] of Object.entries(preferences)) {
    const workflowId = workflow === "all" ? undefined : workflow;
    await tidings.subscribers.updatePreferences({ params, body: { workflowId, channels: choices, digestFrequency } });
  }
  if (schedule) await tidings.subscribers.updatePreferences({ params, body: { schedule } });
  if (channels.includes("chat"))
    await tidings.subscribers.replaceCredentials({
      params,
      body: {
        providerId: captureChat,
        credentials: { webhookUrl: `https://chat.example.com/${encodeURIComponent(subscriber.subscriberId)}` },
      },
    });
}

/** The provider that captures chat messages. */
const captureChat = "svc-slack" as CallInput<"subscribers.replaceCredentials">["body"]["providerId"];

/** Pages of a hundred captured messages that are read. */
const maxPages = 20;

async function readSent({ tidings }: Stage, startMs: number): Promise<SentMessage[]> {
  const sent: SentMessage[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const list = await tidings.captured.list({ query: { limit: 100, orderDirection: "ASC", after } });
    for (const one of list.data)
      sent.push({
        to: one.subscriberId,
        channel: one.channel,
        atMs: Date.parse(one.createdAt) - startMs,
        subject: one.subject ?? "",
        body: one.text ?? "",
        links: one.links,
        codes: one.codes,
      });
    if (list.next === null) break;
    after = list.next;
    await sleep(0);
  }
  const inApp = await tidings.messages.list({ query: { channel: "in_app", limit: 1_000 } });
  for (const one of inApp.data.toReversed()) {
    const body = typeof one.content === "string" ? one.content : "";
    const buttons = one.cta?.action?.buttons ?? [];
    sent.push({
      to: one.subscriber?.subscriberId ?? "",
      channel: "in_app",
      atMs: Date.parse(one.createdAt) - startMs,
      subject: one.subject ?? "",
      body,
      links: [one.cta?.data?.url, ...buttons.map(({ url }) => url)].filter((url) => url !== undefined),
      codes: body.match(/\b\d{4,8}\b/g) ?? [],
    });
  }
  return sent.toSorted((a, b) => a.atMs - b.atMs);
}
