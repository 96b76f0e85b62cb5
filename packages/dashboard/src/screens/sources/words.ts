import type { SourceState } from "@tidings/contract";

const states: Record<SourceState, string> = {
  healthy: "Healthy",
  failing: "Failing",
  paused: "Paused",
  idle: "No events yet",
};

const localName = "This database";

/** Rows are counted up to this number. */
const maxCounted = 10_000;

export const formatCount = (waiting: number): string =>
  waiting >= maxCounted ? `${maxCounted.toLocaleString()}+` : waiting.toLocaleString();

/** Until there are two reads, there is no rate. */
export const formatRate = (rate: number | undefined): string =>
  rate === undefined ? "–" : `${rate.toLocaleString(undefined, { maximumFractionDigits: rate < 10 ? 1 : 0 })}/s`;

const rows = (count: number) => (count === 1 ? "1 event" : `${formatCount(count)} events`);

/** What to do about an error of a source's database. */
const advice: readonly [RegExp, string][] = [
  [
    /password|authentication|SCRAM|pg_hba/i,
    "The password or the access rules of the database have changed. Edit this source and enter its current address.",
  ],
  [
    /relation .* does not exist|no table|column .* does not exist|schema .* does not exist/i,
    "The outbox is missing or was changed. Run `tidings outbox install` on that database again.",
  ],
  [
    /permission denied|lacks/i,
    "The role lacks permissions on the outbox. Check now to see which, and grant them in that database.",
  ],
  [/read-only/i, "This is a replica. Edit this source and enter the address of the primary."],
  [
    /database .* does not exist|role .* does not exist/i,
    "Edit this source and enter the address of a database and role that exist.",
  ],
  [/too many|remaining connection slots/i, "The database has no free connection. It is tried again."],
];
const otherAdvice = "Check that the database runs, and that host, port and firewall let this service connect.";

export const adviceFor = (error: string): string =>
  `${advice.find(([pattern]) => pattern.test(error))?.[1] ?? otherAdvice} What is committed there waits, and nothing is lost.`;

export const words = {
  title: "Sources",
  lead: "Databases that trigger events by SQL, inside your own transactions.",
  states,
  source: "Source",
  state: "State",
  waiting: "Waiting",
  lag: "Lag",
  rate: "Rate",
  accepted: "Accepted",
  refused: "Refused",
  lastAccepted: "Last accepted",
  never: "Never",
  short: (waiting: string, lag: string, rate: string | undefined) =>
    [`${waiting} waiting`, `${lag} lag`, rate].filter(Boolean).join(" · "),
  add: "Add source",
  reference: "API reference",
  /** Who may call the functions in the service's own database. */
  localNote: (name: string, roles: readonly string[]) =>
    [
      name !== localName && localName,
      roles.length === 0 ? "no roles" : `${roles.length === 1 ? "role" : "roles"} ${roles.join(", ")}`,
    ]
      .filter(Boolean)
      .join(" · "),
  grantCommand: (environment: string) => `tidings grant-sql shop --environment ${environment}`,
  revokeCommand: (role = "ROLE") => `tidings grant-sql ${role} --revoke`,
  installCommand: [
    "tidings outbox install \\",
    "  --database postgresql://owner:password@host/shop \\",
    "  --app-role shop --relay-role tidings_relay",
  ].join("\n"),
  callExample: [
    "begin;",
    "insert into orders (customer) values ('ada');",
    "select tidings.trigger('shipped', 'ada', '{\"id\": 42}');",
    "commit;",
  ].join("\n"),
  first: {
    title: "No sources yet",
    text: "A source is a PostgreSQL database whose transactions trigger events. The order and its notification commit together: both happen, or neither does.",
    local: {
      title: "The same PostgreSQL",
      grant: "Your tables are in the database of this service. Let a role trigger events in this environment:",
      grantLabel: "Command that grants a role",
      call: "Call the function in your transaction. The event is accepted once it commits:",
      callLabel: "SQL that triggers an event",
    },
    other: {
      title: "Another PostgreSQL",
      install:
        "Install the outbox in your own database, PostgreSQL 13 or later. Your application connects as shop, this service as tidings_relay:",
      installLabel: "Command that installs the outbox",
      add: "Add the address of that database here. It is checked and stored encrypted.",
      call: "Call the function in your transaction. The event is accepted once it commits:",
      callLabel: "SQL that triggers an event from there",
    },
  },
  form: {
    addTitle: "Add source",
    editTitle: "Edit source",
    text: "First, install the outbox in the database that your transactions run in:",
    name: "Name",
    nameHint: "Shown here and with failed tasks.",
    url: "Address",
    urlHint:
      "postgresql://user:password@host:5432/database. Encode special characters of the password, such as %23 for #.",
    urlStored: (place: string) => `Leave empty to keep ${place} and its password.`,
    incomplete: "Not a complete address yet",
    parts: "Parts of the address",
    host: "Host",
    database: "Database",
    user: "User",
    show: "Show address",
    schema: "Schema",
    schemaHint: "The schema that the outbox was installed in.",
    add: "Add source",
    added: "Source added",
    save: "Save",
    saving: "Saving …",
    checking: "Checking the connection …",
    checkingText: "The service connects to the database now. This can take 10 seconds.",
  },
  one: {
    localLead: "The database of this service. The roles below trigger events with the functions of its schema tidings.",
    menu: (name: string) => `Actions for ${name}`,
    edit: "Edit",
    figures: "Now",
    course: "Lines: since this page was opened",
    failedTasks: "View failed tasks",
    measured: "Last counted at",
    old: {
      paused: "While it is paused, Check now counts what waits.",
      failing: "What came since then is counted when the database can be read again.",
    },
    failing: (error: string) => `The database cannot be read: ${error}`,
    failingSince: "Failing since",
    lastTry: "Last try at",
    pausedText: "Paused. What your transactions trigger waits in the outbox until you resume.",
    settings: "Connection",
    details: "Details",
    lastError: "Last error",
    created: "Created",
    changed: "Changed",
    id: "Id",
    pause: {
      label: "Pause",
      title: (name: string) => `Pause ${name}?`,
      text: "Nothing more is taken from its outbox. Your transactions still commit, and what they trigger waits there until you resume. A batch that has already been claimed is still accepted.",
    },
    resume: {
      label: "Resume",
      title: (name: string) => `Resume ${name}?`,
      text: (waiting: number) =>
        waiting === 0
          ? "What has been committed since the pause is accepted now, oldest first. Those notifications are sent late."
          : `At least ${rows(waiting)} waited at the last count. They are accepted now, oldest first, and their notifications are sent late.`,
    },
    delete: {
      label: "Delete source",
      title: (name: string) => `Delete ${name}?`,
      text: (waiting: number) =>
        `Its address is erased. ${waiting === 0 ? "What waits" : `What waits (${rows(waiting)} at the last count)`} stays in the outbox of that database and is not sent. Your transactions still write to it: remove the calls, or drop the outbox.`,
      done: "Source deleted",
    },
    check: {
      label: "Check now",
      busy: "Checking …",
      title: "Check",
      ready: "The outbox can be read and emptied.",
      version: (version: string) => `PostgreSQL ${version}`,
      waiting: (count: number) => `${rows(count)} ${count === 1 ? "waits" : "wait"} in it.`,
    },
    roles: {
      title: "Roles",
      none: "No role may call the functions.",
      grant: "Let another role trigger events here:",
      grantLabel: "Command that grants a role",
      revoke: "It cannot be deleted here. Revoke its roles, and nothing more comes from it:",
      revokeLabel: "Command that revokes a role",
    },
  },
} as const;
