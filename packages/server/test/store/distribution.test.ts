// The law on distribution keys: on a distributed PostgreSQL (docs/scale.md) the rows of an environment live on one
// shard, so every unique key of a distributed table has to contain its environment. Every table is declared here, and
// docs/scale.md says the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** `environment_id`: rows are divided by it. `reference`: every shard has a copy. `installation`: on one node. */
type Place = "environment_id" | "reference" | "installation";

type Law = {
  places: Record<string, Place>;
  /** Unique keys without the environment, as `table (columns)`, each with the reason. */
  exceptions: Record<string, string>;
};

const generatedId =
  "the id is a generated UUID, unique by itself: the key takes the environment when the table is distributed";
const oneEnvironment = "its first column belongs to one environment, so the environment can be put before it";

const law: Law = {
  places: {
    alert_messages: "environment_id",
    alert_rules: "reference",
    alerts: "environment_id",
    api_keys: "reference",
    assets: "environment_id",
    attempts: "environment_id",
    attention_ledgers: "environment_id",
    audience_members: "environment_id",
    audiences: "environment_id",
    audit_log: "installation",
    background_migrations: "installation",
    backtest_differences: "environment_id",
    backtests: "environment_id",
    bridges: "environment_id",
    broadcasts: "environment_id",
    budgets: "installation",
    captured_messages: "environment_id",
    channel_connections: "environment_id",
    channel_endpoints: "environment_id",
    clock_tasks: "environment_id",
    contexts: "environment_id",
    dead_letter_replays: "environment_id",
    dead_letters: "environment_id",
    deleted_messages: "environment_id",
    deleted_subscribers: "environment_id",
    digest_passes: "environment_id",
    digest_windows: "environment_id",
    early_receipts: "environment_id",
    environments: "reference",
    erasures: "environment_id",
    event_attachments: "environment_id",
    event_pages: "environment_id",
    event_search_values: "environment_id",
    events: "environment_id",
    exposures: "environment_id",
    failed_tasks: "environment_id",
    file_applies: "environment_id",
    idempotency_keys: "environment_id",
    inbound_receipts: "environment_id",
    import_pages: "environment_id",
    imports: "environment_id",
    installation: "installation",
    integration_health: "environment_id",
    integrations: "reference",
    jobs: "environment_id",
    layouts: "reference",
    list_counts: "environment_id",
    message_expiries: "environment_id",
    messages: "environment_id",
    notifications: "environment_id",
    organizations: "reference",
    person_links: "installation",
    person_sessions: "installation",
    preference_categories: "reference",
    publishes: "reference",
    receipts: "environment_id",
    refused_event_names: "environment_id",
    retention_runs: "installation",
    retracted_messages: "environment_id",
    retractions: "environment_id",
    schema_migrations: "installation",
    schema_versions: "installation",
    sources: "reference",
    sql_grants: "reference",
    sql_outbox: "environment_id",
    statistics_hours: "environment_id",
    statistics_progress: "installation",
    step_comments: "reference",
    environment_variables: "reference",
    step_templates: "reference",
    subscriber_activity: "environment_id",
    subscriber_preferences: "environment_id",
    subscribers: "environment_id",
    supersede_keys: "environment_id",
    suppressions: "environment_id",
    tenants: "environment_id",
    throttle_windows: "environment_id",
    request_hosts: "environment_id",
    run_waits: "environment_id",
    signals: "environment_id",
    topic_subscriptions: "environment_id",
    topics: "environment_id",
    transaction_ids: "environment_id",
    translations: "reference",
    used_oidc_states: "installation",
    users: "reference",
    webhook_deliveries: "environment_id",
    webhook_events: "environment_id",
    webhooks: "reference",
    workflow_viewers: "reference",
    workflow_versions: "reference",
    workflows: "reference",
  },
  exceptions: {
    "assets (id)": generatedId,
    "captured_messages (id)": generatedId,
    "captured_messages (message_id)": oneEnvironment,
    "channel_connections (id)": generatedId,
    "channel_endpoints (id)": generatedId,
    "clock_tasks (id)": generatedId,
    "dead_letter_replays (id)": generatedId,
    "dead_letters (id)": generatedId,
    "early_receipts (id)": generatedId,
    "failed_tasks (id)": generatedId,
    "inbound_receipts (id)": generatedId,
    "imports (id)": generatedId,
    "integration_health (integration_id)": oneEnvironment,
    "receipts (integration_id, external_id, status, reported_at, recipient)": oneEnvironment,
    "subscriber_activity (subscriber_id)": oneEnvironment,
    "subscriber_preferences (subscriber_id, workflow_id, context_keys)": oneEnvironment,
    "subscribers (id)": generatedId,
    "suppressions (id)": generatedId,
    "topic_subscriptions (id)": generatedId,
    "topic_subscriptions (topic_id, identifier)": oneEnvironment,
    "topics (id)": generatedId,
    "webhook_deliveries (event_id, webhook_id)": oneEnvironment,
    "webhook_deliveries (id)": generatedId,
    "webhook_events (id)": generatedId,
  },
};

type Table = { name: string; columns: string[]; keys: string[][] };

/** The tables of schema.sql with their columns and unique keys. */
function readTables(schema: string): Table[] {
  const split = (list: string) => list.split(",").map((column) => column.trim());
  const tables = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)].map(([, name = "", body = ""]) => ({
    name,
    columns: [...body.matchAll(/^ {2}([a-z_]+) /gm)].map(([, column = ""]) => column),
    keys: [...body.matchAll(/(?:PRIMARY KEY|UNIQUE(?: NULLS NOT DISTINCT)?) \(([^)]*)\)/g)].map(([, list = ""]) =>
      split(list),
    ),
  }));
  for (const [, name, list = ""] of schema.matchAll(/^CREATE UNIQUE INDEX \w+ on (\w+) USING btree \(([^)]*)\)/gm)) {
    tables.find((table) => table.name === name)?.keys.push(split(list));
  }
  return tables;
}

function findBreaches(schema: string, { places, exceptions }: Law): string[] {
  const tables = readTables(schema);
  const distributed = tables.filter(({ name }) => places[name] === "environment_id");
  const unplaced = tables.flatMap(({ name }) => (places[name] ? [] : [`${name} is not declared`]));
  const gone = Object.keys(places).filter((name) => !tables.some((table) => table.name === name));
  const without = distributed.filter(({ columns }) => !columns.includes("environment_id"));
  const keys = distributed.flatMap(({ name, keys }) =>
    keys.filter((key) => !key.includes("environment_id")).map((key) => `${name} (${key.join(", ")})`),
  );
  return [
    ...unplaced,
    ...gone.map((name) => `${name} is declared, but there is no such table`),
    ...without.map(({ name }) => `${name} has no environment_id`),
    ...keys.filter((key) => !exceptions[key]).map((key) => `${key} is unique without environment_id`),
    ...Object.keys(exceptions).flatMap((key) => (keys.includes(key) ? [] : [`${key} is no longer an exception`])),
  ];
}

const readSource = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const schema = readSource("../../src/store/schema.sql");

test("unique keys of distributed tables contain the environment", () => {
  assert.ok(readTables(schema).length > 40, "the tables were found");
  assert.deepEqual(findBreaches(schema, law), []);
});

test("docs/scale.md names the place of every table", () => {
  const rows = [...readSource("../../../../docs/scale.md").matchAll(/^\| `(\w+)` \| ([\w ]+) \|/gm)];
  const documented = Object.fromEntries(rows.map(([, table = "", place]) => [table, place]));
  assert.deepEqual(documented, law.places);
});

const columns = "  id             uuid not null,\n  environment_id uuid not null";
const sample = (keys: string, after = "") => `create table notes (\n${columns},\n  ${keys}\n);\n${after}`;
const notes: Law = { places: { notes: "environment_id" }, exceptions: {} };

for (const [name, text, given, fault] of [
  ["a key with the environment", sample("PRIMARY KEY (environment_id, id)"), notes, undefined],
  ["a primary key without it", sample("PRIMARY KEY (id)"), notes, /^notes \(id\) is unique without/],
  ["a constraint without it", sample("UNIQUE NULLS NOT DISTINCT (id)"), notes, /^notes \(id\) is unique without/],
  [
    "a unique index without it",
    sample("PRIMARY KEY (environment_id, id)", "CREATE UNIQUE INDEX notes_id on notes USING btree (id);"),
    notes,
    /^notes \(id\) is unique without/,
  ],
  ["an exception", sample("PRIMARY KEY (id)"), { ...notes, exceptions: { "notes (id)": "reason" } }, undefined],
  [
    "an exception without need",
    sample("PRIMARY KEY (environment_id, id)"),
    { ...notes, exceptions: { "notes (id)": "reason" } },
    /^notes \(id\) is no longer/,
  ],
  ["a copy on every shard", sample("PRIMARY KEY (id)"), { places: { notes: "reference" }, exceptions: {} }, undefined],
  ["a new table", sample("PRIMARY KEY (environment_id, id)"), { places: {}, exceptions: {} }, /^notes is not declared/],
  ["a dropped table", "", notes, /^notes is declared, but/],
] as [string, string, Law, RegExp | undefined][]) {
  test(`the law on ${name}: ${fault ? "caught" : "fine"}`, () => {
    const found = findBreaches(text, given);
    assert.equal(found.length, fault ? 1 : 0, found.join("\n"));
    if (fault) assert.match(found[0]!, fault);
  });
}
