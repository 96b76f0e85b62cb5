// People, fixed audiences and broadcasts, for tests.
import type { Broadcast } from "@tidings/contract";
import type { TestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";

type Client = TestService["client"];

const perRequest = 500;

export const idsOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** Creates subscribers and a fixed audience with them. `fields`: of the person with this number. */
export async function createList(
  client: Client,
  audienceId: string,
  ids: string[],
  fields: (n: number) => object = () => ({}),
): Promise<void> {
  await client("audiences.create", { body: { audienceId, name: audienceId } });
  for (let from = 0; from < ids.length; from += perRequest) {
    const subscriberIds = ids.slice(from, from + perRequest);
    const subscribers = subscriberIds.map((subscriberId, n) => ({ subscriberId, ...fields(from + n) }));
    await client("subscribers.createBulk", { body: { subscribers } });
    await client("audiences.addMembers", { params: { audienceId }, body: { subscriberIds } });
  }
}

export async function createDraft(client: Client, body: object): Promise<Broadcast> {
  return (await client("broadcasts.create", { body: { name: "News", ...body } as never })).body;
}

export const retrieveBroadcast = async (client: Client, broadcastId: string): Promise<Broadcast> =>
  (await client("broadcasts.retrieve", { params: { broadcastId } })).body;

export const sendBroadcast = async (client: Client, broadcastId: string): Promise<Broadcast> =>
  (await client("broadcasts.send", { params: { broadcastId } })).body;

export const inStatus = (
  client: Client,
  broadcastId: string,
  status: Broadcast["status"],
  limitMs?: number,
): Promise<Broadcast> =>
  eventually(
    async () => {
      const broadcast = await retrieveBroadcast(client, broadcastId);
      return broadcast.status === status ? broadcast : null;
    },
    `broadcast ${broadcastId} to be ${status}`,
    limitMs,
  );

/** How often each subscriber got a notification of the event, by subscriber id. */
export async function countRuns({ db }: Pick<TestService, "db">, transactionId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("notifications as n")
    .innerJoin("events as e", (join) => join.onRef("e.id", "=", "n.event_id"))
    .innerJoin("subscribers as s", "s.id", "n.subscriber_id")
    .where("e.transaction_id", "=", transactionId)
    .select(({ fn }) => ["s.subscriber_id as id", fn.countAll<string>().as("count")])
    .groupBy("s.subscriber_id")
    .execute();
  return new Map(rows.map(({ id, count }) => [id, Number(count)]));
}
