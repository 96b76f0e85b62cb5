// Every operation of the inbox in the browser, from the list of operations: a token that is forged, swapped or expired
// opens none of them, and the token of another subscriber of the same environment reaches nothing of its neighbour.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type Operation, type OperationId, operations } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import type { RawInput } from "@tidings/testkit/client";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { createSecrets } from "../../src/lib/secrets.ts";
import { type InboxSession, readInboxToken, signInboxToken } from "../../src/lib/tokens/inbox-token.ts";
import { inputOf } from "./fixtures.ts";
import { ofOwnInbox } from "./inputs.ts";
import { createProbe } from "./probe.ts";
import { createWorld } from "./world.ts";

const receiver = await startReceiver();
const key = randomBytes(32);
const service = await startTestService({
  TIDINGS_ENCRYPTION_KEY: key.toString("base64"),
  TIDINGS_PUBLIC_URL: "https://notify.example.com",
  TIDINGS_RATE_WRONG_KEYS: "0",
});
const secrets = createSecrets([{ version: 1, key }]);
const probe = createProbe(service.url, service.apiKey);
const world = createWorld(service.client, "victim", receiver.url, service.db);
const inboxOperations = (Object.values(operations) as Operation[]).filter(({ access }) => access === "inbox");

const tokenOf = ({ headers }: RawInput): string => headers!.authorization!.replace("Bearer ", "");
const sessionOf = (token: string): InboxSession => readInboxToken(secrets, token, new Date())!;
const withToken = (input: RawInput, token: string): RawInput => ({
  ...input,
  headers: { ...input.headers, authorization: `Bearer ${token}` },
});

/** What the tables have of one subscriber: a fingerprint for each. */
async function pictureOf(subscriberId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'subscriber_id' and a.atttypid = 'uuid'::regtype
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`.execute(
    service.db,
  );
  assert.ok(rows.length >= 5);
  const parts = [
    ...rows.map(({ name }) => ({ name, column: "subscriber_id" })),
    { name: "subscribers", column: "id" },
  ].map(
    ({ name, column }) => sql`select ${sql.lit(name)} || ' ' || count(*) || ' ' ||
      coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as line
      from ${sql.table(name)} t where ${sql.ref(column)} = ${subscriberId}`,
  );
  const found = await sql<{ line: string }>`${sql.join(parts, sql` union all `)}`.execute(service.db);
  return found.rows.map(({ line }) => line).sort();
}

/** Messages of a fixture may still be on their way to their provider. */
async function settledPicture(subscriberId: string): Promise<string[]> {
  let last: string[] = [];
  let times = 0;
  await eventually(async () => {
    const picture = await pictureOf(subscriberId);
    times = picture.join() === last.join() ? times + 1 : 0;
    last = picture;
    return times >= 3;
  }, "the rows of the subscriber to come to rest");
  return last;
}

/** Things of one subscriber; topics and workflows belong to all. */
const ownParams = ["notificationId", "identifier"];
/** Existing clients read this as none. */
const emptyAnswers: Partial<Record<OperationId, number>> = { "inbox.retrieveSubscription": 204 };

let stranger: RawInput = {};
before(async () => {
  stranger = await ofOwnInbox(world);
});

test("all operations of the inbox are here", () => {
  const paths = (Object.values(operations) as Operation[]).filter(({ path }) => path.startsWith("/v1/inbox/"));
  assert.deepEqual(
    paths.filter(({ access }) => access !== "inbox").map(({ id }) => id),
    ["inbox.openSession"],
  );
  assert.ok(inboxOperations.length >= 35);
});

for (const operation of inboxOperations) {
  const id = operation.id as OperationId;
  test(`${id}: wrong tokens are refused, and another subscriber reaches nothing`, async () => {
    const input = await inputOf(operation, world);
    const token = tokenOf(input);
    const session = sessionOf(token);
    const strangerToken = tokenOf(stranger);
    const earlier = await settledPicture(session.subscriberId);
    const [text, mac] = token.split(".") as [string, string];
    const wrong = {
      forged: `${text}.${Buffer.alloc(32).toString("base64url")}`,
      swapped: `${text}.${strangerToken.split(".")[1]}`,
      changed: `${strangerToken.split(".")[0]}.${mac}`,
      expired: signInboxToken(secrets, { ...session, expiresAt: new Date(Date.now() - 1_000) }),
      "of another environment": signInboxToken(secrets, { ...session, environmentId: session.keyId }),
      "an API key": service.apiKey,
    };
    for (const [name, one] of Object.entries(wrong)) {
      const answer = await probe(id, withToken(input, one));
      assert.deepEqual([answer.status, (answer.body as { code: string }).code], [401, "INBOX_TOKEN_INVALID"], name);
    }
    const answer = await probe(id, withToken(input, strangerToken));
    const isOwn = Object.keys(operation.params?.properties ?? {}).some((name) => ownParams.includes(name));
    if (isOwn) assert.equal(answer.status, emptyAnswers[id] ?? 404, answer.text);
    else assert.ok(answer.status < 300, `${answer.status} ${answer.text}`);
    assert.ok(!answer.text.includes(session.subscriberId), "nothing of the neighbour in the answer");
    // A list that is read has messages that may still be on their way.
    if (operation.method !== "GET")
      assert.deepEqual(await pictureOf(session.subscriberId), earlier, "nothing of the neighbour is changed");
    const own = await probe(id, isOwn ? input : await inputOf(operation, world));
    assert.ok(own.status < 300, `the owner is served: ${own.status} ${own.text}`);
  });
}
