// What an erasure does with each table of the database, in the order in which it goes over them. Every table is listed,
// those without anything personal in untouched-tables.ts: test/pipeline/erasure/tables.test.ts compares the list with
// the database, so that a new table cannot be forgotten. docs/personal-data.md says the same in words.
import type { ScannedTable } from "../../store/subscribers/erasure-scans.ts";
import { audienceTables } from "./audience-tables.ts";
import { backtestTables } from "./backtest-tables.ts";
import { deleteOwn, type Rewrite, redactRows } from "./redaction.ts";
import { retractionTables } from "./retraction-tables.ts";
import {
  rewriteAuditLog,
  rewriteEvents,
  rewriteImportPages,
  rewriteMessages,
  rewriteStoredResponses,
  rewriteSuppressions,
  rewriteWebhookEvents,
  rewriteWithContexts,
} from "./rewrites.ts";
import { callTables } from "./sql-calls.ts";
import { type UntouchedRule, untouchedTables } from "./untouched-tables.ts";

/**
 * A second pass goes over what was written during the first. `isTimed`: the key begins with an id that says when the
 * row was created, so it reads the newest rows only. `isOnce`: it is left out, because neither events nor deliveries
 * write the table.
 */
type Scan = Omit<ScannedTable, "table"> & { rewrite?: Rewrite; isTimed?: true; isOnce?: true };

/** Rows are deleted or rewritten, some of them by an index (store/subscribers/erasure-own.ts), others by a scan. */
type TouchedRule = { does: "removed" | "rewritten"; what: string; scan?: Scan };

export type TableRule = TouchedRule | UntouchedRule;

const byId = { id: "uuid" } as const;
const byGroup = { step_id: "uuid", subscriber_id: "uuid", group_key: "text" } as const;
const groupScan = { key: byGroup, columns: { group_key: "text" } } as const satisfies Scan;

const erasureTables = {
  transaction_ids: {
    does: "rewritten",
    what: "identifiers in transaction ids",
    scan: { isOnce: true, key: { transaction_id: "text" }, columns: { transaction_id: "text" } },
  },
  events: {
    does: "rewritten",
    what: "payload, overrides, recipients and actor",
    scan: {
      key: byId,
      isTimed: true,
      own: "event",
      columns: {
        transaction_id: "text",
        payload: "jsonb",
        overrides: "jsonb",
        recipients: "jsonb",
        actor: "jsonb",
        audience: "jsonb",
        tenant: "text",
        tenant_fields: "jsonb",
        context_keys: "text[]",
        trace_context: "text",
        supersede_key: "text",
      },
      reads: ["workflow_id"],
      sealed: ["overrides"],
      rowsPerPage: 200,
      rewrite: rewriteEvents,
    },
  },
  event_attachments: {
    does: "removed",
    what: "with their event; files of other events that contain an identifier",
    scan: { key: byId, isTimed: true, columns: { attachments: "jsonb" }, rowsPerPage: 20 },
  },
  event_search_values: { does: "removed", what: "values that the payload of their event no longer has" },
  refused_event_names: {
    does: "removed",
    what: "the names of refused events",
    scan: {
      key: { kind: "text", name: "text", event_id: "uuid" },
      columns: { name: "text" },
      rewrite: (tools, rows, table) => {
        const isPerson = ({ at }: { at: Record<string, string> }) =>
          at.kind === "subscriber" && at.name === tools.person.subscriberId;
        const { changed, deleted } = redactRows(
          tools,
          rows.filter((row) => !isPerson(row)),
          table,
        ) as Awaited<ReturnType<Rewrite>>;
        return { changed, deleted: [...deleted, ...rows.filter(isPerson).map((row) => row.at)] };
      },
    },
  },
  messages: {
    does: "rewritten",
    what: "content and addresses; messages of others lose the mention",
    scan: {
      key: byId,
      isTimed: true,
      columns: {
        subject: "text",
        content: "text",
        cta: "jsonb",
        data: "jsonb",
        actor: "jsonb",
        address: "text",
        recipients: "text[]",
        outgoing: "jsonb",
        error_text: "text",
        provider_message_id: "text",
        context_keys: "text[]",
      },
      about: "event_id",
      reads: ["subscriber_id"],
      sealed: ["outgoing"],
      rowsPerPage: 200,
      rewrite: rewriteMessages,
    },
  },
  attempts: {
    does: "rewritten",
    what: "responses and ids of providers",
    scan: {
      key: { message_id: "uuid", id: "uuid" },
      isTimed: true,
      about: "message_id",
      columns: { reason: "text", provider_message_id: "text" },
    },
  },
  notifications: {
    does: "rewritten",
    what: "particulars of runs; open runs end",
    scan: {
      key: byId,
      isTimed: true,
      about: "event_id",
      columns: { finished_jobs: "json", later_details: "jsonb", subscriptions: "jsonb", context_keys: "text[]" },
      rewrite: rewriteWithContexts,
    },
  },
  jobs: {
    does: "rewritten",
    what: "particulars, outputs and digested events of steps",
    scan: {
      key: { notification_id: "uuid", step_index: "smallint" },
      about: "notification_id",
      isTimed: true,
      columns: { details: "jsonb", output: "jsonb", digest: "jsonb", bridge: "jsonb" },
      sealed: ["bridge"],
    },
  },
  exposures: { does: "rewritten", what: "who was in a variant of an experiment; the variant stays" },
  captured_messages: {
    does: "removed",
    what: "captured mail of the person; copies of others lose the mention",
    scan: {
      key: byId,
      own: "subscriberKey",
      about: "event_id",
      columns: { content: "jsonb", transaction_id: "text", subscriber_id: "text" },
      sealed: ["content"],
      rowsPerPage: 100,
      rewrite: deleteOwn,
    },
  },
  dead_letters: {
    does: "removed",
    what: "dead letters of the person",
    scan: {
      key: byId,
      own: "subscriberKey",
      about: "message_id",
      columns: { error_text: "text", transaction_id: "text", subscriber_id: "text" },
      rewrite: deleteOwn,
    },
  },
  dead_letter_replays: {
    does: "rewritten",
    what: "filters that name the person",
    scan: { key: byId, columns: { filter: "jsonb" } },
  },
  receipts: {
    does: "removed",
    what: "reports on messages of the person",
    scan: {
      key: {
        integration_id: "uuid",
        external_id: "text",
        status: "text",
        reported_at: "timestamptz",
        recipient: "text",
      },
      own: "message",
      columns: { external_id: "text", recipient: "text" },
      rewrite: deleteOwn,
    },
  },
  inbound_receipts: {
    does: "removed",
    what: "reports of providers as they came",
    scan: {
      key: byId,
      own: "message",
      columns: { external_id: "text", recipient: "text", excerpt: "text" },
      rewrite: deleteOwn,
    },
  },
  early_receipts: {
    does: "removed",
    what: "reports that wait for their message",
    scan: {
      key: byId,
      columns: { name: "text", receipt: "jsonb" },
      rewrite: (tools, rows, table) => {
        const { changed } = redactRows(tools, rows, table) as Awaited<ReturnType<Rewrite>>;
        return { changed: [], deleted: changed.map((row) => row.at) };
      },
    },
  },
  webhook_events: {
    does: "removed",
    what: "events about the person; others lose the mention",
    scan: {
      key: byId,
      isTimed: true,
      columns: { body: "text", trace_context: "text" },
      sealed: ["body"],
      rowsPerPage: 200,
      rewrite: rewriteWebhookEvents,
    },
  },
  webhook_deliveries: {
    does: "removed",
    what: "with their event; responses that mention the person",
    scan: { key: byId, isTimed: true, columns: { response: "text" } },
  },
  imports: { does: "rewritten", what: "names of files", scan: { key: byId, columns: { file_name: "text" } } },
  import_pages: {
    does: "rewritten",
    what: "lines about the person, waiting or invalid",
    scan: {
      key: { import_id: "uuid", number: "integer" },
      columns: { rows: "jsonb", errors: "jsonb" },
      sealed: ["rows"],
      rowsPerPage: 20,
      rewrite: rewriteImportPages,
    },
  },
  idempotency_keys: {
    does: "rewritten",
    what: "stored responses",
    scan: {
      key: { key: "text" },
      columns: { key: "text", body: "text" },
      sealed: ["body"],
      rowsPerPage: 200,
      rewrite: rewriteStoredResponses,
    },
  },
  ...callTables,
  contexts: {
    does: "rewritten",
    what: "ids, data and brands",
    scan: { isOnce: true, key: { type: "text", id: "text" }, columns: { id: "text", data: "jsonb", brand: "jsonb" } },
  },
  tenants: {
    does: "rewritten",
    what: "identifiers, names and data",
    scan: { isOnce: true, key: { identifier: "text" }, columns: { identifier: "text", name: "text", data: "jsonb" } },
  },
  topics: {
    does: "rewritten",
    what: "keys and names",
    scan: { isOnce: true, key: { key: "text" }, columns: { key: "text", name: "text" } },
  },
  topic_subscriptions: {
    does: "removed",
    what: "memberships of the person; those of others lose the mention",
    scan: {
      isOnce: true,
      key: byId,
      columns: { identifier: "text", name: "text", rules: "jsonb", context_keys: "text[]" },
      rewrite: rewriteWithContexts,
    },
  },
  subscriber_preferences: {
    does: "removed",
    what: "preferences of the person; contexts in those of others",
    // The table has no key without empty values.
    scan: { isOnce: true, key: { ctid: "tid" }, columns: { context_keys: "text[]" }, rewrite: rewriteWithContexts },
  },
  channel_connections: {
    does: "removed",
    what: "connections of the person; those of others lose the mention",
    scan: {
      isOnce: true,
      key: byId,
      columns: { identifier: "text", workspace: "jsonb", context_keys: "text[]" },
      rewrite: rewriteWithContexts,
    },
  },
  channel_endpoints: {
    does: "removed",
    what: "endpoints of the person; those of others lose the mention",
    scan: {
      isOnce: true,
      key: byId,
      columns: { identifier: "text", context_keys: "text[]" },
      rewrite: rewriteWithContexts,
    },
  },
  subscribers: {
    does: "removed",
    what: "the profile; profiles of others lose the mention",
    scan: {
      isOnce: true,
      key: byId,
      columns: {
        first_name: "text",
        last_name: "text",
        email: "text",
        phone: "text",
        avatar: "text",
        locale: "text",
        timezone: "text",
        data: "jsonb",
      },
    },
  },
  suppressions: {
    does: "rewritten",
    what: "addresses, which stay suppressed as keyed hashes",
    scan: {
      key: byId,
      own: "message",
      columns: { address: "text" },
      reads: ["channel"],
      rewrite: rewriteSuppressions,
    },
  },
  digest_windows: { does: "removed", what: "open digests", scan: groupScan },
  digest_passes: { does: "removed", what: "passed digests", scan: groupScan },
  throttle_windows: { does: "removed", what: "throttle groups", scan: groupScan },
  attention_ledgers: { does: "removed", what: "when the person was sent what, for attention budgets" },
  run_waits: {
    does: "removed",
    what: "waits for signals; those of others lose the mention",
    scan: { key: { job_id: "uuid" }, columns: { signal_key: "text", data: "jsonb" } },
  },
  signals: {
    does: "removed",
    what: "signals about the person; those of others lose the mention",
    scan: { key: byId, columns: { key: "text", data: "jsonb" } },
  },
  ...retractionTables,
  ...audienceTables,
  ...backtestTables,
  integration_health: {
    does: "rewritten",
    what: "the last error",
    scan: { isOnce: true, key: { integration_id: "uuid" }, columns: { last_error: "text" } },
  },
  alerts: {
    does: "rewritten",
    what: "figures and error texts",
    scan: { key: byId, columns: { subject_name: "text", facts: "jsonb" } },
  },
  alert_messages: {
    does: "rewritten",
    what: "content and responses of receivers",
    scan: { key: byId, columns: { content: "jsonb", detail: "text" } },
  },
  deleted_subscribers: { does: "removed", what: "the hash by which a deleted subscriber is found" },
  "queue.job_common": { does: "rewritten", what: "errors of tasks; their data is ids only" },
  audit_log: {
    does: "rewritten",
    what: "entries about the person, under the pseudonym",
    scan: {
      key: byId,
      isTimed: true,
      own: "subscriberKey",
      columns: { target: "text", target_name: "text", before: "jsonb", after: "jsonb", subscriber_id: "text" },
      rewrite: rewriteAuditLog,
    },
  },
  erasures: { does: "rewritten", what: "while it runs, an erasure holds what identifies the person, encrypted" },
  ...untouchedTables,
} as const satisfies Record<string, TableRule>;

export type ErasureTable = keyof typeof erasureTables;
export const erasureTableNames = Object.keys(erasureTables) as ErasureTable[];
export const ruleOf = (table: ErasureTable): TableRule => erasureTables[table];
