// Tables that an erasure leaves unchanged, each with the reason.

export type UntouchedRule =
  /** Written by members of the installation; `mentions`: columns in which the receipt counts what remains. */
  { does: "remains"; why: string; mentions?: readonly string[] } | { does: "nothing"; why: string };

export const untouchedTables = {
  workflows: {
    does: "remains",
    why: "written by members",
    mentions: ["name", "description", "steps", "payload_schema"],
  },
  workflow_versions: { does: "remains", why: "written by members", mentions: ["definition", "summary"] },
  layouts: { does: "remains", why: "written by members", mentions: ["name", "control_values"] },
  translations: { does: "remains", why: "written by members", mentions: ["content"] },
  step_comments: { does: "remains", why: "written by members", mentions: ["text"] },
  workflow_viewers: { does: "remains", why: "members who have a workflow open" },
  publishes: { does: "remains", why: "written by members", mentions: ["resources"] },
  integrations: { does: "remains", why: "accounts of the customer", mentions: ["name", "identifier", "conditions"] },
  webhooks: { does: "remains", why: "addresses of the customer", mentions: ["url"] },
  alert_rules: { does: "remains", why: "written by members, who name the receivers", mentions: ["name"] },
  bridges: { does: "remains", why: "addresses of the customer", mentions: ["url"] },
  users: { does: "remains", why: "accounts of members, which are not subscribers" },
  person_links: { does: "remains", why: "invitations of members" },
  person_sessions: { does: "remains", why: "sessions of members" },

  api_keys: { does: "nothing", why: "hashes of keys" },
  background_migrations: { does: "nothing", why: "ids of rows" },
  budgets: { does: "nothing", why: "names of environments and of kinds of tasks" },
  clock_tasks: { does: "nothing", why: "ids of rows" },
  deleted_messages: { does: "nothing", why: "counts by hour" },
  environments: { does: "nothing", why: "names of environments" },
  file_applies: { does: "nothing", why: "fingerprints of workflows" },
  installation: { does: "nothing", why: "values of the installation" },
  list_counts: { does: "nothing", why: "counts" },
  message_expiries: { does: "nothing", why: "ids and times" },
  organizations: { does: "nothing", why: "names of organisations" },
  retention_runs: { does: "nothing", why: "counts and names of partitions" },
  schema_migrations: { does: "nothing", why: "versions of the schema" },
  schema_versions: { does: "nothing", why: "versions of the schema" },
  statistics_hours: { does: "nothing", why: "counts by hour" },
  statistics_progress: { does: "nothing", why: "hours" },
  used_oidc_states: { does: "nothing", why: "hashes" },
  "queue.bam": { does: "nothing", why: "statements of the queue about its own schema" },
  "queue.job": { does: "nothing", why: "its rows are in queue.job_common" },
  "queue.job_dependency": { does: "nothing", why: "ids of tasks" },
  "queue.queue": { does: "nothing", why: "kinds of tasks" },
  "queue.queue_stats": { does: "nothing", why: "counts" },
  "queue.schedule": { does: "nothing", why: "empty: chores enqueue themselves" },
  "queue.subscription": { does: "nothing", why: "empty: tasks are not published" },
  "queue.version": { does: "nothing", why: "the version of the queue" },
  "queue.warning": { does: "nothing", why: "warnings about queues" },
} as const satisfies Record<string, UntouchedRule>;
