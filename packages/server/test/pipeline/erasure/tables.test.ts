// Every table of the database is in the list of what an erasure does, with columns that exist.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";
import { erasureTableNames, ruleOf } from "../../../src/pipeline/erasure/tables.ts";
import { tablesOf } from "../../support/dump.ts";

const { db } = await startTestService();

test("a new table has to be put on the list", async () => {
  const found = (await tablesOf(db))
    .filter(({ table, isPartition }) => !isPartition || table === "job_common")
    .map(({ schema, table }) => (schema === "public" ? table : `${schema}.${table}`));
  assert.deepEqual([...erasureTableNames].sort(), found.sort());
});

test("no column that may hold words of people is forgotten in a table that is scanned", async () => {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'ARRAY')`.execute(db);
  // Words of the service, ids, times, and what is decided by rules of the service.
  const fixed =
    /^(status|type|kind|channel|channels|provider_id|step_id|severity|result|reason_code|outcome|error_id|error_class|changes|state|separator|columns|refusal|operation|actor|address|user_agent|integration_identifier|last_error_class|delivered_at|held_events|schedule|digest_frequency|bridge_url|auth|endpoint|reason|subscriber_id)$/;
  // Written by members or by the service. Targets are encrypted, and addresses of the customer.
  const fixedIn: Record<string, string[]> = {
    alerts: ["rule_name", "code", "subject_type", "subject_id", "ending", "acknowledged_by"],
    alert_messages: ["key", "target", "alert_ids"],
    // Ids of an event and a notification, and names of workflows and steps; one of three words.
    events: ["started_by", "priority"],
    backtests: ["created_by", "failure"],
    retractions: ["created_by", "results"],
    supersede_keys: ["earlier"],
    // Names of signals, which the customer's code and the authors of workflows choose.
    run_waits: ["signal", "watched_event", "arrived_by"],
    signals: ["name"],
    // Numbers by channel that the person chose.
    subscribers: ["attention"],
  };
  const forgotten = rows.filter(({ table, column }) => {
    const rule = erasureTableNames.some((name) => name === table) ? ruleOf(table as never) : undefined;
    const scan = rule && "scan" in rule ? rule.scan : undefined;
    return (
      scan &&
      !(column in scan.columns) &&
      !(column in scan.key) &&
      !fixed.test(column) &&
      !fixedIn[table]?.includes(column)
    );
  });
  assert.deepEqual(forgotten, []);
});
