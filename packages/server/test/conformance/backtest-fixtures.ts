// Fixtures of backtests, of which one runs in an environment at a time.
import type { OperationId } from "@tidings/contract";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import type { Fixture } from "./inputs.ts";
import type { World } from "./world.ts";

const body = { lastDays: 1 };

/** None runs, and the environment has an event. */
async function makeRoom(w: World): Promise<string> {
  const { subscriberId } = await w.event();
  const { data } = (await w.client("backtests.list", { query: {} })).body;
  for (const { _id: backtestId, finishedAt } of data) {
    if (finishedAt === null) await w.client("backtests.delete", { params: { backtestId } });
  }
  return subscriberId;
}

/** As before its first page: it has no task, so that it does not end meanwhile. */
async function waiting(w: World) {
  const { backtestId } = await completed(w);
  await sql`update backtests set status = 'queued', finished_at = null where id = ${backtestId}`.execute(w.db);
  return { backtestId };
}

async function completed(w: World) {
  const subscriberId = await makeRoom(w);
  const { _id: backtestId } = (await w.client("backtests.create", { body })).body;
  return eventually(async () => {
    const { body } = await w.client("backtests.get", { params: { backtestId } });
    return body.status === "completed" ? { backtestId, subscriberId } : null;
  }, "the end of a backtest");
}

/** With messages of three people that differ. */
async function withDifferences(w: World) {
  for (let count = 0; count < 3; count++) await w.event();
  const { backtestId } = await completed(w);
  await sql`
    insert into backtest_differences (environment_id, backtest_id, subscriber_id, notification_id, step_id, workflow_id,
      effect, was_sent, is_sent)
    select distinct on (s.id) b.environment_id, b.id, s.id, n.id, 'in-app', w.workflow_id, 'removed', true, false
    from backtests b join notifications n on n.environment_id = b.environment_id
      join subscribers s on s.id = n.subscriber_id join workflows w on w.id = n.workflow_id
    where b.id = ${backtestId} order by s.id limit 3`.execute(w.db);
  return { backtestId };
}

export const backtestFixtures: Partial<Record<OperationId, Fixture>> = {
  "backtests.create": async (w) => {
    await makeRoom(w);
    return { body };
  },
  "backtests.list": async (w) => {
    await completed(w);
    return {};
  },
  "backtests.get": async (w) => ({ params: { backtestId: (await completed(w)).backtestId } }),
  "backtests.cancel": async (w) => ({ params: await waiting(w) }),
  "backtests.delete": async (w) => ({ params: { backtestId: (await completed(w)).backtestId } }),
  "backtests.people": async (w) => ({ params: await withDifferences(w) }),
  "backtests.person": async (w) => ({ params: await completed(w) }),
};
