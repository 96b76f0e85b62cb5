// The table of settings: what each is for, its default, and how its text is read. config.ts reads them out of the
// environment; docs/config.md is generated from this table.
import { resolve } from "node:path";
import { parseEncryptionKeys } from "./lib/secrets.ts";
import { deliverySettings } from "./lib/settings/delivery-settings.ts";
import { otelSettings } from "./lib/settings/otel-settings.ts";
import { retentionSettings } from "./lib/settings/retention-settings.ts";
import {
  bytes,
  databaseUrl,
  domains,
  fail,
  inboxOrigins,
  integer,
  issuerUrl,
  mailbox,
  mailServer,
  onOff,
  publicUrl,
  rate,
  shortText,
  threadLimits,
  timeZone,
  word,
} from "./lib/settings/setting-parsers.ts";
import { upgradeSettings } from "./lib/settings/upgrade-settings.ts";
import { parseNetworks } from "./lib/url-guard.ts";

const roles = ["api", "worker"] as const;
export type Role = (typeof roles)[number];

/** `isSecret`: the value can also be in a file, whose path is in the variable with `_FILE` at its end. */
export type Setting<T> = { about: string; fallback: string; isSecret?: true; parse(text: string): T };

/** Variables of the command line `tidings` and of the client, which a shell may share with the server. */
export const clientVariables: ReadonlySet<string> = new Set(["TIDINGS_URL", "TIDINGS_CREDENTIALS"]);

export const settings = {
  TIDINGS_PORT: { about: "Port to serve on; 0 picks a free one.", fallback: "3000", parse: integer(0, 65_535) },
  TIDINGS_HOST: {
    about:
      "Address to listen on. The default accepts connections from this machine only; `0.0.0.0` accepts them from every " +
      "network, as a container needs.",
    fallback: "127.0.0.1",
    parse: (text: string) => text,
  },
  TIDINGS_PUBLIC_URL: {
    about:
      "Public URL of this service, such as `https://notify.example.com`. It is required for one-click unsubscribe links in " +
      "mails (docs/email.md), for connecting chat workspaces by OAuth (docs/chat.md), and for registering webhooks at " +
      "providers (docs/webhooks.md).",
    fallback: "",
    parse: publicUrl,
  },
  TIDINGS_DATA_DIR: {
    about: "Folder of the embedded PostgreSQL and the generated encryption key.",
    fallback: "./data",
    parse: (text: string) => resolve(text),
  },
  DATABASE_URL: {
    about:
      "PostgreSQL server (15 or later) to use instead of the embedded one: `postgres://user:password@host:5432/database`. " +
      "Several hosts with `?target_session_attrs=read-write`: the one that is the primary (docs/failover.md).",
    fallback: "",
    isSecret: true,
    parse: databaseUrl,
  },
  TIDINGS_DIRECT_DATABASE_URL: {
    about:
      "The same database without a pooler, for LISTEN, migrations and session locks. Set it if `DATABASE_URL` leads to " +
      "PgBouncer; transaction mode requires it (docs/failover.md).",
    fallback: "",
    isSecret: true,
    parse: databaseUrl,
  },
  TIDINGS_REPLICA_DATABASE_URL: {
    about:
      "Streaming replica of the server of `DATABASE_URL`, for lists, statistics and exports (docs/scale.md#read-replica). " +
      "Without it, the primary serves all reads.",
    fallback: "",
    isSecret: true,
    parse: databaseUrl,
  },
  TIDINGS_DATABASE_POOL: {
    about: "Database connections per thread of this process, in addition to up to 5 for the queue.",
    fallback: "10",
    parse: integer(4, 500),
  },
  TIDINGS_DATABASE_WAIT: {
    about: "How long to wait on start for the server of `DATABASE_URL`, in seconds.",
    fallback: "60",
    parse: integer(0, 3_600),
  },
  ...upgradeSettings,
  TIDINGS_LOCK_SECONDS: {
    about:
      "How long a request or a task waits for a lock in the database, in seconds; then the request returns 503 " +
      "DATABASE_LOCKED, and the task is repeated.",
    fallback: "5",
    parse: integer(1, 60),
  },
  TIDINGS_READ_POOL: {
    about: "Additional database connections, for API reads; one environment uses at most all but one.",
    fallback: "4",
    parse: integer(2, 500),
  },
  TIDINGS_READ_SECONDS: {
    about: "Timeout of one API read, in seconds (422 QUERY_TOO_EXPENSIVE).",
    fallback: "10",
    parse: integer(1, 60),
  },
  TIDINGS_API_KEY: {
    about: "API key of the Development environment, used on the first start; otherwise one is generated and printed.",
    fallback: "",
    isSecret: true,
    parse: (text: string) =>
      text === "" || /^[\x21-\x7e]{16,255}$/.test(text)
        ? text
        : fail("must have 16 to 255 characters without spaces (32 random bytes are a good key)"),
  },
  TIDINGS_ENCRYPTION_KEY: {
    about:
      "Key that encrypts secrets at rest, 32 bytes in base64 or hex. Generated in the data folder for the embedded database, " +
      "required with `DATABASE_URL`. To rotate: `2:<new key>,1:<old key>`.",
    fallback: "",
    isSecret: true,
    parse: (text: string) => (text === "" ? [] : parseEncryptionKeys(text)),
  },
  TIDINGS_ROLE: {
    about:
      "Role of this process: `api`, `worker` or both. Any number of processes may share one database. A worker serves " +
      "`/health`, `/ready` and `/metrics` only.",
    fallback: "api,worker",
    parse: (text: string) => {
      const parts = text.split(",").map((part) => part.trim());
      const isValid = parts.length > 0 && parts.every((part): part is Role => roles.includes(part as Role));
      return isValid ? new Set<Role>(parts as Role[]) : fail("must be api, worker or api,worker");
    },
  },
  TIDINGS_WORKER_CONCURRENCY: {
    about: "Concurrent batches of each task kind in a worker process. Its threads share them; each has at least one.",
    fallback: "2",
    parse: integer(1, 64),
  },
  TIDINGS_TASK_FIRST_WAIT: {
    about:
      "Wait before the first retry of a task that failed by an error, in milliseconds; it doubles with every try, up to 5 " +
      "minutes, and is multiplied by a random factor of 1 to 2.",
    fallback: "1000",
    parse: integer(1, 300_000),
  },
  TIDINGS_THREADS: {
    about:
      "Threads of this process that work on events and tasks: a number, or a range such as `1-4`, of which the process uses as " +
      "many as its load needs. `auto` is from 1 to the number of CPU cores, at most 4. Each thread has its own database " +
      "connections; all threads share `TIDINGS_WORKER_CONCURRENCY`.",
    fallback: "auto",
    parse: threadLimits,
  },
  TIDINGS_ALLOW_NETWORKS: {
    about:
      "Private networks, as CIDRs separated by commas, that outbound calls (SMTP, webhooks) may reach. None by default: " +
      "set `127.0.0.0/8` to send to a mail server on this machine.",
    fallback: "",
    parse: parseNetworks,
  },
  TIDINGS_TRUSTED_PROXIES: {
    about:
      "Reverse proxies in front of this service, as addresses or CIDRs separated by commas, such as `10.0.0.0/8`. The " +
      "client address, the host and the protocol of their requests are read from `X-Forwarded-For`, `-Host` and `-Proto`. Without it, all clients " +
      "behind a proxy share the rate limits of one address.",
    fallback: "",
    parse: parseNetworks,
  },
  TIDINGS_LOG_LEVEL: {
    about:
      "`trace`, `debug`, `info`, `warn`, `error` or `silent`. Each request is one line with method, route, status, milliseconds and request id: at `info` " +
      "those that failed or that rejected a known caller, at `debug` all of them, including unknown paths and wrong keys. Each provider call is a line at `info` (docs/observability.md).",
    fallback: "info",
    parse: word(["trace", "debug", "info", "warn", "error", "silent"]),
  },
  TIDINGS_LOG_FORMAT: {
    about:
      "`text` is readable, `json` is for machines. Default: `text` on a terminal, `json` otherwise. With `json`, every line " +
      "is a JSON object (except for errors in the settings) and there is no banner: `tidings key` and `tidings sign-in` show " +
      "what it would contain.",
    fallback: "",
    parse: word(["", "text", "json"]),
  },
  TIDINGS_RATE_TRIGGER: {
    about: "Rate limit of the trigger routes: events per second and environment; 0: no limit.",
    fallback: "50000",
    parse: rate,
  },
  TIDINGS_RATE_CONFIGURATION: {
    about: "Rate limit of subscribers, workflows, integrations …: requests per second and environment; 0: no limit.",
    fallback: "5000",
    parse: rate,
  },
  TIDINGS_RATE_GLOBAL: {
    about: "Rate limit of all other routes: requests per second and environment; 0: no limit.",
    fallback: "5000",
    parse: rate,
  },
  TIDINGS_RATE_INBOX: {
    about: "Rate limit of an inbox: requests per second and subscriber, and sessions per client address; 0: no limit.",
    fallback: "20",
    parse: rate,
  },
  TIDINGS_INBOX_REQUIRE_HASH: {
    about:
      "Where an inbox session needs a `subscriberHash` (docs/inbox.md): `prod` in production environments, `always`, or " +
      "`never`, which lets anyone who knows a subscriber's id read that inbox.",
    fallback: "prod",
    parse: word(["prod", "always", "never"]),
  },
  TIDINGS_INBOX_ORIGINS: {
    about:
      "Origins of web pages that may use an inbox, separated by commas: `https://app.example.com` for all environments, " +
      "`production=https://app.example.com` for the environment with that identifier. A development environment that is not " +
      "named accepts every origin, a production environment only those of this list.",
    fallback: "",
    parse: inboxOrigins,
  },
  TIDINGS_RATE_WRONG_KEYS: {
    about: "Rate limit of wrong API keys and inbox tokens: per ten seconds and client address, then 429; 0: no limit.",
    fallback: "50",
    parse: rate,
  },
  TIDINGS_MAX_ENVIRONMENTS: {
    about: "Maximum number of environments in one organisation.",
    fallback: "100",
    parse: integer(2, 100_000),
  },
  TIDINGS_METRICS: {
    about: "`on` serves `/metrics` without authentication, `off` returns 404.",
    fallback: "on",
    parse: onOff,
  },
  TIDINGS_DOCS: {
    about: "`on` serves `/docs` and `/openapi.json` without authentication, `off` returns 404.",
    fallback: "on",
    parse: onOff,
  },
  TIDINGS_DASHBOARD: {
    about:
      "`on` serves the dashboard and lets members sign in (docs/members.md). With `off`, API keys are the only way in.",
    fallback: "on",
    parse: onOff,
  },
  TIDINGS_PASSWORD_COST: {
    about:
      "Cost of hashing a member's password: the exponent of N = 2^cost of scrypt, with r = 8 and p = 3. 15 takes about 200 ms " +
      "of one core and 32 MB, each step doubles both. It is for passwords set from now on. Less than 15 is for tests.",
    fallback: "15",
    parse: integer(10, 20),
  },
  TIDINGS_AUDIT_DAYS: {
    about: "How long audit log entries are kept, in days (docs/members.md).",
    fallback: "365",
    parse: integer(1, 3_650),
  },
  TIDINGS_MAIL_URL: {
    about:
      "SMTP server for the invitations of members (docs/members.md): `smtps://user:password@mail.example.com:465`, or " +
      "`smtp://…:587` for STARTTLS, which a password requires. It needs `TIDINGS_MAIL_FROM` and `TIDINGS_PUBLIC_URL`. Without it, " +
      "owners pass the links on themselves. Integrations are not used for these emails.",
    fallback: "",
    isSecret: true,
    parse: mailServer,
  },
  TIDINGS_MAIL_FROM: {
    about: "Sender of these emails, such as `Tidings <notify@example.com>`.",
    fallback: "",
    parse: mailbox,
  },
  TIDINGS_OIDC_ISSUER: {
    about:
      "OpenID Connect issuer that members sign in with, such as `https://accounts.google.com`. It needs " +
      "`TIDINGS_OIDC_CLIENT_ID`, `TIDINGS_OIDC_CLIENT_SECRET` and `TIDINGS_PUBLIC_URL` (docs/members.md).",
    fallback: "",
    parse: issuerUrl,
  },
  TIDINGS_OIDC_CLIENT_ID: { about: "Client id from the issuer.", fallback: "", parse: shortText },
  TIDINGS_OIDC_CLIENT_SECRET: {
    about: "Client secret from the issuer.",
    fallback: "",
    isSecret: true,
    parse: shortText,
  },
  TIDINGS_OIDC_NAME: {
    about: "Name of the issuer on the sign-in page.",
    fallback: "single sign-on",
    parse: shortText,
  },
  TIDINGS_OIDC_DOMAINS: {
    about:
      "Domains of email addresses, separated by commas, whose owners become members at their first sign-in with OpenID Connect. " +
      "None by default: only invited members can sign in.",
    fallback: "",
    parse: domains,
  },
  TIDINGS_OIDC_ROLE: {
    about: "Role of members who join through `TIDINGS_OIDC_DOMAINS`: `viewer`, `support` or `editor`.",
    fallback: "viewer",
    parse: word(["viewer", "support", "editor"]),
  },
  TIDINGS_BODY_LIMIT: { about: "Maximum request body in bytes.", fallback: String(10 * 1024 * 1024), parse: bytes },
  TIDINGS_BULK_BODY_LIMIT: {
    about:
      "Maximum body in bytes of a bulk trigger, an import, or workflows as files. Parsing one blocks the process: about 35 ms per MB.",
    fallback: String(60 * 1024 * 1024),
    parse: bytes,
  },
  TIDINGS_ASSET_LIMIT: {
    about: "Maximum bytes of all uploaded images of one environment. They are stored in the database (docs/email.md).",
    fallback: String(500 * 1024 * 1024),
    parse: bytes,
  },
  TIDINGS_MAX_RECIPIENTS: {
    about: "Maximum number of recipients in the `to` of one event.",
    fallback: "100",
    parse: integer(1, 10_000),
  },
  ...retentionSettings,
  TIDINGS_MAX_WAIT_DAYS: {
    about: "Maximum length of a delay or digest, in days.",
    fallback: "90",
    parse: integer(1, 3_650),
  },
  TIDINGS_MAX_SNOOZE_DAYS: {
    about: "How far ahead an in-app message can be snoozed, in days.",
    fallback: "90",
    parse: integer(1, 3_650),
  },
  TIDINGS_VOCABULARY: {
    about:
      "Vocabulary of requests and responses: `neutral` or, for existing SDKs and receivers, `novu` (docs/migrating.md).",
    fallback: "neutral",
    parse: word(["neutral", "novu"]),
  },
  TIDINGS_DEFAULT_TIMEZONE: {
    about: "Time zone of subscribers without one, an IANA name such as `Europe/Berlin`.",
    fallback: "UTC",
    parse: timeZone,
  },
  ...deliverySettings,
  TIDINGS_LIVE_CONNECTIONS: {
    about:
      "Maximum number of live inbox connections in one process (docs/live.md), about 20 kB each; 0: none are accepted.",
    fallback: "20000",
    parse: integer(0, 1_000_000),
  },
  TIDINGS_LIVE_PER_SUBSCRIBER: {
    about: "Maximum number of live connections of one subscriber to one process.",
    fallback: "20",
    parse: integer(1, 10_000),
  },
  TIDINGS_LIVE_HEARTBEAT: {
    about: "Seconds between heartbeats on live connections; shorter than the idle timeouts of the proxies in between.",
    fallback: "25",
    parse: integer(1, 600),
  },
  TIDINGS_LIVE_SWEEP: {
    about: "Seconds after which a live inbox is read again without a hint: the maximum delay if a hint is lost.",
    fallback: "20",
    parse: integer(1, 3_600),
  },
  TIDINGS_DIGEST_EVENTS: {
    about: "Maximum number of events that one digest keeps.",
    fallback: "1000",
    parse: integer(1, 100_000),
  },
  ...otelSettings,
} as const satisfies Record<string, Setting<unknown>>;
