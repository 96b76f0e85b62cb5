// A history that backtests are tried on: days of events on a test clock, which is removed before the backtest, so that
// they are in the past. And a backtest from its beginning to its end.
import assert from "node:assert/strict";
import type { Backtest, BacktestChange, BacktestPerson, StepIn } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import type { SharedService } from "@tidings/testkit/service";
import { connectInbox } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

/** Begins some days ago, at full minutes. */
export async function newScene(
  service: Pick<SharedService, "client" | "url">,
  mailUrl: string,
  daysAgo = 4,
): Promise<Stage & { start: number }> {
  const start = Math.floor(Date.now() / 60_000) * 60_000 - daysAgo * 86_400_000;
  const stage = await newStage(service, new Date(start).toISOString());
  await connectInbox(stage.client);
  await mailer(stage.client, "mail", mailUrl);
  return { ...stage, start };
}

/** Back to real time: what happened on the test clock is in the past. */
export const endHistory = async ({ client, environmentId }: Stage): Promise<void> => {
  await client("environments.updateClock", { params: { environmentId }, body: { now: null } });
};

export async function backtest(
  { client }: Pick<Stage, "client">,
  change: BacktestChange = {},
  options: { lastDays?: number | undefined; from?: string; to?: string; maxNotifications?: number } = {},
): Promise<Backtest & { report: NonNullable<Backtest["report"]> }> {
  const answer = await client("backtests.create", { body: { lastDays: 7, ...options, change } });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const params = { backtestId: answer.body._id };
  const ended = await eventually(async () => {
    const { body } = await client("backtests.get", { params });
    return body.finishedAt === null ? null : body;
  }, "the end of the backtest");
  assert.equal(ended.status, "completed", ended.failure ?? "");
  return ended as Backtest & { report: NonNullable<Backtest["report"]> };
}

/** `<subscriber> <transaction> <step>: <effect>` of all messages that differ, sorted. */
export async function differencesOf({ client }: Pick<Stage, "client">, backtestId: string): Promise<string[]> {
  const people: BacktestPerson[] = [];
  for (let after: string | undefined; ; ) {
    const { body } = await client("backtests.people", { params: { backtestId }, query: { limit: 100, after } });
    people.push(...body.data);
    if (body.next === null) break;
    after = body.next;
  }
  const found: string[] = [];
  for (const { subscriberId } of people) {
    const { body } = await client("backtests.person", { params: { backtestId, subscriberId }, query: {} });
    for (const { transactionId, stepId, effect } of body.messages)
      found.push(`${subscriberId} ${transactionId} ${stepId}: ${effect}`);
  }
  return found.sort();
}

/** What a step of a draft is, with the id that its history has. */
export const named = (stepId: string, step: StepIn): StepIn => ({ ...step, stepId });
