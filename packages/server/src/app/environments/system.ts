// The state of the system: figures of the installation, and what is not as it should be in the caller's environment.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { withoutQuery } from "../../lib/hidden-secrets.ts";
import { countFaults, listOpenBreakers } from "../../store/environments/system.ts";
import { countBreakers, countProcesses, findQueueLags, findVersionsOfSystem } from "../../store/installation/system.ts";
import { findBacklogAges } from "../../store/queue/backlog.ts";
import { listFailingWebhooks } from "../../store/webhooks/webhooks.ts";
import { version } from "../../version.ts";
import { listWaiting, toLastError } from "../integrations/integration-health.ts";

const countLimit = 10_000;
const breakerLimit = 100;
/** One failed call is normal, and is repeated. */
const failingWebhooks = { failures: 5, limit: 20 };

export async function retrieve(
  ctx: Ctx,
  { environmentId }: Caller,
  _input: Input<"system.retrieve">,
): Promise<Output<"system.retrieve">> {
  const { db } = ctx;
  const { postgres, schema } = await findVersionsOfSystem(db);
  const lags = await findQueueLags(db, countLimit);
  const faults = await countFaults(db, environmentId, countLimit);
  const breakers = await listOpenBreakers(db, environmentId, breakerLimit);
  return {
    versions: { service: version, postgres, schema },
    processes: await countProcesses(db),
    queue: lags.map(({ kind, due, active, lag_seconds }) => ({ kind, due, active, lagSeconds: lag_seconds })),
    openBreakers: await countBreakers(db),
    environment: {
      breakers: breakers.map((row) => ({
        integrationId: row.id,
        identifier: row.identifier,
        name: row.name,
        providerId: row.provider_id,
        state: row.state,
        failures: row.failures,
        openedAt: row.opened_at?.toISOString(),
        nextProbeAt: row.next_probe_at?.toISOString(),
        failingSince: row.failing_since?.toISOString(),
        lastError: toLastError(row),
      })),
      waiting: await listWaiting(ctx, environmentId),
      deadLetters: faults.dead_letters,
      failedTasks: faults.failed_tasks,
      failedWebhookDeliveries: faults.failed_deliveries,
      disabledWebhooks: faults.disabled_webhooks,
      failingWebhooks: (await listFailingWebhooks(db, environmentId, failingWebhooks)).map((row) => ({
        webhookId: row.id,
        url: withoutQuery(row.url),
        failures: row.failures,
        failingSince: (row.failing_since ?? ctx.now()).toISOString(),
        lastError: row.last_error ?? undefined,
      })),
      oldestEventSeconds: ((await findBacklogAges(db)).get(environmentId)?.others ?? 0) / 1_000,
    },
  };
}
