// The ledger against what came out: every accepted event exactly once in the inbox, at least once at a provider, and
// every message of an inbox in its stream.

import type { Client } from "@tidings/testkit/client";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { type Accepted, type Kind, kinds, type Load, type Planned } from "./load.ts";
import type { LiveInbox } from "./receivers.ts";
import { type World, withDb } from "./world.ts";

export type Comparison = {
  accepted: number;
  byKind: Map<Kind, number>;
  lost: string[];
  /** In-app messages that are there more often than once. */
  twice: string[];
  /** Calls at the mail server and the gateway beyond the first for a message. */
  repeatedCalls: number;
  /** Messages that a connected inbox did not get. */
  gaps: string[];
};

const isInApp = ({ kind }: Accepted) => kind === "single" || kind === "bulk" || kind === "delay";

type Ledger = Pick<Load, "accepted" | "unaccepted">;

async function compare(world: World, ledger: Ledger, databaseUrl: string): Promise<Comparison> {
  const { accepted } = ledger;
  const rows = await readMessages(databaseUrl);
  const counts = new Map(rows.map((row) => [`${row.transactionId} ${row.subscriberId}`, row.ids.length]));
  const expected = new Set(accepted.filter(isInApp).map((one) => `${one.transactionId} ${one.subscriberId}`));
  const digests = await compareDigests(world.client, ledger);
  const provider = [...compareCalls(accepted, "email", world), ...compareCalls(accepted, "sms", world)];
  return {
    accepted: accepted.length,
    byKind: new Map(kinds.map((kind) => [kind, accepted.filter((one) => one.kind === kind).length])),
    lost: [
      ...[...expected].filter((key) => !counts.has(key)),
      ...digests.filter(({ missing }) => missing > 0).map(({ text }) => text),
      ...provider.filter(({ calls }) => calls === 0).map(({ text }) => text),
    ],
    twice: [
      ...[...expected].filter((key) => (counts.get(key) ?? 0) > 1),
      ...digests.filter(({ extra }) => extra > 0).map(({ text }) => text),
    ],
    repeatedCalls: provider.reduce((sum, { calls }) => sum + Math.max(0, calls - 1), 0),
    gaps: world.inboxes.flatMap((inbox) => findGaps(inbox, rows)),
  };
}

type Row = { transactionId: string; subscriberId: string; ids: string[] };

const readMessages = (databaseUrl: string): Promise<Row[]> =>
  withDb(databaseUrl, async (db) => {
    const { rows } = await sql<Row>`
      select e.transaction_id as "transactionId", s.subscriber_id as "subscriberId", array_agg(m.id::text) as ids
      from messages m
      join events e on e.environment_id = m.environment_id and e.id = m.event_id
      join subscribers s on s.environment_id = m.environment_id and s.id = m.subscriber_id
      where m.channel = 'in_app' group by 1, 2`.execute(db);
    return rows;
  });

const findGaps = ({ subscriberId, received }: LiveInbox, rows: Row[]): string[] =>
  rows
    .filter((row) => row.subscriberId === subscriberId)
    .flatMap((row) => row.ids.filter((id) => !received.has(id)).map((id) => `${subscriberId} ${id}`));

const compareCalls = (accepted: Accepted[], kind: "email" | "sms", { mail, sms }: World) =>
  accepted
    .filter((one) => one.kind === kind)
    .map(({ text }) => ({ text, calls: (kind === "email" ? mail : sms).counts.get(text) ?? 0 }));

/** A digest's message is the number of its events: their sum is the number of accepted ones. */
async function compareDigests(client: Client, { accepted, unaccepted }: Ledger) {
  const count = (events: Planned[], subscriberId: string) =>
    events.filter((one) => one.kind === "digest" && one.subscriberId === subscriberId).length;
  const compared = [];
  for (const subscriberId of new Set(accepted.filter(({ kind }) => kind === "digest").map((one) => one.subscriberId))) {
    const sum = await sumDigests(client, subscriberId);
    const wanted = count(accepted, subscriberId);
    const text = `${subscriberId}: ${sum} events in digests, ${wanted} accepted`;
    compared.push({ missing: wanted - sum, extra: sum - wanted - count(unaccepted, subscriberId), text });
  }
  return compared;
}

async function sumDigests(client: Client, subscriberId: string): Promise<number> {
  let sum = 0;
  for (let page = 0; ; page++) {
    const { body } = await client("subscribers.listFeed", { params: { subscriberId }, query: { limit: 100, page } });
    for (const { content } of body.data) sum += Number(content);
    if (!body.hasMore) return sum;
  }
}

/** For what is still on its way when the load ends: a retry of a provider call may wait a minute. */
const drainMs = 150_000;

export async function compareUntilComplete(world: World, ledger: Ledger, databaseUrl: string): Promise<Comparison> {
  const deadline = performance.now() + drainMs;
  for (;;) {
    const comparison = await compare(world, ledger, databaseUrl);
    if (isComplete(comparison) || performance.now() > deadline) return comparison;
    await sleep(1_000);
  }
}

export const isComplete = ({ lost, gaps }: Comparison): boolean => lost.length === 0 && gaps.length === 0;
