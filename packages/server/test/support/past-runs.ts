// Runs that ended in the past: rows as the service would have written them then, with ids of that time.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { newId } from "../../src/lib/ids.ts";
import { createMetrics } from "../../src/metrics.ts";
import { runRetention } from "../../src/pipeline/retention/run.ts";
import type { Db } from "../../src/store/db.ts";
import { ensurePartitions } from "../../src/store/installation/partitions.ts";

/** The id of a row with this name that was created at this time. */
export function idAt(time: Date, name: string): string {
  const ms = time.getTime().toString(16).padStart(12, "0");
  const hash = createHash("sha256").update(name).digest("hex");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

export type PastPlace = { environmentId: string; workflow: { _id: string }; subscriberId: string };

/** An event with an in-app message and an email, all of this time; its transaction id is `name`. */
export async function addPastRun(db: Db, place: PastPlace, name: string, time: Date): Promise<void> {
  await ensurePartitions(db, time);
  const id = (part: string) => idAt(time, `${name} ${part}`);
  // In the order in which they were created.
  const [event, notification, inApp, email, attempt] = ["0", "1", "2", "3", "4"].map((digit) => {
    const made = id(digit);
    return `${made.slice(0, 15)}${digit}${made.slice(16)}`;
  }) as [string, string, string, string, string];
  const { environmentId, workflow, subscriberId } = place;
  await sql`
    with v as (select version_id, id from workflows where id = ${workflow._id}),
    s as (select id from subscribers where environment_id = ${environmentId} and subscriber_id = ${subscriberId}),
    e as (insert into events (id, environment_id, transaction_id, workflow_id, workflow_version_id, payload, recipients, created_at)
      select ${event}, ${environmentId}, ${name}, id, version_id, '{"name":"Ada"}', '[{"subscriberId":"ada"}]', ${time} from v),
    x as (insert into transaction_ids values (${environmentId}, ${name}, ${event})),
    a as (insert into event_attachments values (${event}, ${environmentId}, '[]')),
    f as (insert into event_search_values values (${environmentId}, ${name}, ${event})),
    n as (insert into notifications (id, environment_id, event_id, workflow_id, workflow_version_id, subscriber_id, severity,
        critical, created_at, updated_at)
      select ${notification}, ${environmentId}, ${event}, v.id, v.version_id, s.id, 'high', false, ${time}, ${time} from v, s),
    j as (insert into jobs (id, environment_id, notification_id, step_index, type, status, details, updated_at)
      select gen_random_uuid(), ${environmentId}, ${notification}, i, t, 'completed', '[]', ${time}
      from (values (0, 'in_app'), (1, 'email')) as steps(i, t)),
    g as (insert into exposures (environment_id, notification_id, step_id, step_index, subscriber_id, variant, exposed_at)
      select ${environmentId}, ${notification}, gen_random_uuid(), 0, s.id, 'a', ${time} from s),
    m as (insert into messages (id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, channel, status,
        content, created_at, updated_at)
      select i::uuid, ${environmentId}, ${notification}, ${event}, gen_random_uuid(), s.id, v.id, c, 'sent', ${name}, ${time}, ${time}
      from v, s, (values (${inApp}, 'in_app'), (${email}, 'email')) as sent(i, c))
    insert into attempts (id, environment_id, message_id, integration_id, number, started_at, finished_at, outcome)
    values (${attempt}, ${environmentId}, ${email}, gen_random_uuid(), 1, ${time}, ${time}, 'accepted')`.execute(db);
}

/** The rows of such a run that the class `messages` has. */
export const messageRowsOfRun = 6;

/** A run of the retention at a given time and with given settings. */
export function runRetentionAt(db: Db, time: Date, settings: Record<string, string> = {}): Promise<void> {
  const config = readConfig(settings);
  return runRetention({ db, config, now: () => time, newId, metrics: createMetrics(), log: pino({ level: "silent" }) });
}
