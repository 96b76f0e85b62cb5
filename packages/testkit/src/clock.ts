// An environment on a test clock, in which months pass in seconds, deterministically.
import assert from "node:assert/strict";
import type { EnvironmentClock, Notification, TimeUnit } from "@tidings/contract";
import { type Client, createClient } from "./client.ts";
import type { TestService } from "./service.ts";

export type Stage = {
  client: Client;
  apiKey: string;
  environmentId: string;
  /** Moves the clock and waits until it has arrived and the pipeline is idle. */
  moveTo(now: string): Promise<EnvironmentClock>;
  advance(amount: number, unit: TimeUnit): Promise<EnvironmentClock>;
};

let count = 0;

/** A new environment; with `now`, on a test clock set to that time. */
export async function newStage(service: Pick<TestService, "client" | "url">, now?: string): Promise<Stage> {
  const body = { name: `Stage ${++count}`, color: "#000000" };
  const environment = (await service.client("environments.create", { body })).body;
  const { key: apiKey } = environment.apiKeys![0]!;
  const client = createClient({ baseUrl: service.url, apiKey });
  const environmentId = environment._id;
  const move = async (given: { now: string } | { advance: { amount: number; unit: TimeUnit } }) => {
    const answer = await client("environments.updateClock", { params: { environmentId }, body: given });
    assert.equal(answer.status, 200, "the clock arrived in time");
    assert.equal(answer.body.status, "standing");
    return answer.body;
  };
  const stage: Stage = {
    client,
    apiKey,
    environmentId,
    moveTo: (time) => move({ now: time }),
    advance: (amount, unit) => move({ advance: { amount, unit } }),
  };
  if (now) await stage.moveTo(now);
  return stage;
}

/** What happened to each step and when: `<time> <step type>: <detail>`. */
export const storyOf = (notification: Notification): string[] =>
  (notification.jobs ?? []).flatMap((job) =>
    job.executionDetails.map((entry) => `${entry.createdAt} ${job.type}: ${entry.detail}`),
  );

/** All messages that were sent, oldest first, without values that differ between runs. */
export async function transcriptOf({ client }: Stage): Promise<string[]> {
  const { data } = (await client("messages.list", { query: { limit: 1000 } })).body;
  return data
    .map(({ createdAt, channel, subscriber, subject, content, status }) =>
      [createdAt, subscriber?.subscriberId, channel, subject, content, status].join(" | "),
    )
    .reverse();
}
