// Throttle windows and look-back digests: groups are counted under a lock, and purged when they are over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { inTransaction } from "../../../src/store/db.ts";
import { openOrJoinWindows, recordPasses } from "../../../src/store/events/digests.batch.ts";
import { takeGrants } from "../../../src/store/events/throttles.batch.ts";
import { purgePasses, purgeThrottles } from "../../../src/store/installation/purges.ts";

const { db } = await startTestService();

const { rows: environments } = await sql<{ id: string; type: string }>`select id, type from environments`.execute(db);
const real = environments.find(({ type }) => type === "prod")!.id;
const onClock = environments.find(({ type }) => type === "dev")!.id;
await sql`update environments set test_clock = '2020-01-01' where id = ${onClock}`.execute(db);

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const groupOf = (environment_id = real, group_key = "g") => ({
  environment_id,
  step_id: newId(),
  subscriber_id: newId(),
  group_key,
});

test("a throttle grants the rest of the threshold in a window, and the whole threshold in the next", async () => {
  const group = groupOf();
  const ask = async (wanted: number, now: Date, threshold = 3) => {
    const until = new Date(now.getTime() + 600_000);
    const [grant] = await takeGrants(db, [{ ...group, until, threshold, wanted, now }]);
    return [grant!.before, grant!.granted, grant!.until.getTime()];
  };
  assert.deepEqual(await ask(2, at(0)), [0, 2, at(10).getTime()]);
  assert.deepEqual(await ask(5, at(1)), [2, 3, at(10).getTime()], "the window ends when it was to end");
  assert.deepEqual(await ask(1, at(9)), [3, 3, at(10).getTime()]);
  assert.deepEqual(await ask(1, at(9), 2), [3, 3, at(10).getTime()], "a lower threshold takes nothing back");
  assert.deepEqual(await ask(1, at(10)), [0, 1, at(20).getTime()]);
});

test("simultaneous requests see the counts of each other, whatever the order of their groups", async () => {
  const groups = ["a", "b", "c"].map((key) => ({ ...groupOf(), group_key: key }));
  const request = (order: typeof groups) =>
    inTransaction(db, (tx) =>
      takeGrants(
        tx,
        order.map((group) => ({ ...group, until: at(10), threshold: 100, wanted: 1, now: at(0) })),
      ),
    );
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => request(n % 2 === 0 ? groups : groups.toReversed())),
  );
  for (const { group_key } of groups) {
    const counts = answers.map((grants) => grants.find((grant) => grant.group_key === group_key)!.granted);
    assert.deepEqual(
      counts.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  }
});

test("recording a pass answers the time of the pass before, and never sets an earlier time", async () => {
  const group = groupOf();
  const pass = async (now: Date) => (await recordPasses(db, [{ ...group, passed_at: now }]))[0]?.passed_at;
  assert.equal(await pass(at(1)), undefined);
  assert.deepEqual(await pass(at(5)), at(1));
  assert.deepEqual(await pass(at(3)), at(5));
  assert.deepEqual(await pass(at(6)), at(5));
});

test("windows and passes that are over are purged, except in environments with a test clock", async () => {
  const all = [groupOf(real), groupOf(onClock)];
  await recordPasses(
    db,
    all.map((group) => ({ ...group, passed_at: at(0) })),
  );
  await takeGrants(
    db,
    all.map((group) => ({ ...group, until: at(1), threshold: 1, wanted: 1, now: at(0) })),
  );
  const left = async (table: "digest_passes" | "throttle_windows") =>
    (await db.selectFrom(table).select("environment_id").execute()).map((row) => row.environment_id);
  while ((await purgePasses(db, at(2), 1)) > 0);
  while ((await purgeThrottles(db, at(2), 1)) > 0);
  assert.equal((await left("digest_passes")).filter((id) => id === onClock).length, 1);
  assert.equal((await left("throttle_windows")).filter((id) => id === onClock).length, 1);
  const gone = await sql`
    select 1 from digest_passes where subscriber_id = ${all[0]!.subscriber_id}
    union all select 1 from throttle_windows where subscriber_id = ${all[0]!.subscriber_id}`.execute(db);
  assert.equal(gone.rows.length, 0);
});

test("one of several simultaneous events leads the digest", async () => {
  const group = groupOf();
  const claims = Array.from({ length: 12 }, () => ({
    ...group,
    leader_job_id: newId(),
    leader_notification_id: newId(),
    due_at: at(10),
  }));
  const windows = await Promise.all(claims.map((claim) => inTransaction(db, (tx) => openOrJoinWindows(tx, [claim]))));
  assert.equal(new Set(windows.map(([window]) => window!.leader_job_id)).size, 1);
});
