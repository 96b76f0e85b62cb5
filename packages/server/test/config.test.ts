import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { ConfigError, readConfig } from "../src/config.ts";
import { ensureEncryptionKey } from "../src/encryption-key.ts";
import { createSecrets, UnknownKeyVersionError } from "../src/lib/secrets.ts";
import { settings } from "../src/settings.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte);
const base64 = (byte: number) => keyOf(byte).toString("base64");
const hex = (byte: number) => keyOf(byte).toString("hex");
const url = "postgres://user:pass@127.0.0.1:5432/tidings";

/** The errors of an environment, one per line; none when it is fine. */
function faultsIn(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split("\n");
  }
}

test("variables of the command line are no settings, and no faults", () => {
  const ofCommandLine = { TIDINGS_URL: "https://notify.example.com", TIDINGS_CREDENTIALS: "/tmp/credentials.json" };
  assert.deepEqual(faultsIn(ofCommandLine), []);
  assert.match(faultsIn({ TIDINGS_URLS: "x" })[0]!, /^TIDINGS_URLS is not a setting/);
});

test("nothing has to be set", () => {
  const { encryptionKeys, ...config } = readConfig({});
  assert.deepEqual(encryptionKeys, []);
  assert.deepEqual(config, {
    host: "127.0.0.1",
    port: 3000,
    publicUrl: "",
    dataDir: resolve("./data"),
    databaseUrl: "",
    directDatabaseUrl: "",
    replicaUrl: "",
    databasePool: 10,
    databaseWaitSeconds: 60,
    migrates: true,
    shutdownDelaySeconds: 0,
    lockSeconds: 5,
    reads: { pool: 4, seconds: 10 },
    apiKey: "",
    roles: new Set(["api", "worker"]),
    workerConcurrency: 2,
    taskFirstWaitMs: 1_000,
    passwordCost: 15,
    threads: { min: 1, max: Math.min(4, availableParallelism()) },
    allowNetworks: [],
    trustedProxies: [],
    log: { level: "info", format: "" },
    rates: { trigger: 50_000, configuration: 5_000, global: 5_000, inbox: 20 },
    wrongKeys: 50,
    inbox: { requireHash: "prod", origins: [] },
    maxEnvironments: 100,
    metrics: true,
    docs: true,
    dashboard: true,
    mailer: null,
    oidc: null,
    bodyLimit: 10_485_760,
    bulkBodyLimit: 62_914_560,
    assetLimit: 500 * 1024 * 1024,
    maxRecipients: 100,
    retention: {
      ...{ messages: 90, inApp: 365, captured: 30, deadLetters: 30, statistics: 400, audit: 365 },
      ...{ maxDays: 3_650, step: "day" },
    },
    maxWaitDays: 90,
    maxSnoozeDays: 90,
    delivery: {
      retry: {
        ...{ attempts: 5, firstWaitMs: 1_000, factor: 4 },
        ...{ maxRetryAfterMs: 900_000, unknownWaitMs: 600_000 },
      },
      breaker: { failures: 5, firstProbeMs: 30_000, maxProbeMs: 600_000, probeLimitMs: 60_000 },
      deadlineSeconds: 86_400,
      window: 800,
      timeoutMs: 30_000,
      requestTimeoutMs: 10_000,
    },
    live: { connections: 20_000, perSubscriber: 20, sweepMs: 20_000, beatMs: 25_000 },
    digestEvents: 1000,
    defaultTimezone: "UTC",
    telemetry: null,
    vocabulary: "neutral",
  });
});

test("an empty or blank value counts as not set, and spaces around a value do not matter", () => {
  const config = readConfig({ TIDINGS_PORT: "", TIDINGS_ROLE: "  ", TIDINGS_HOST: " 127.0.0.1 ", DATABASE_URL: " " });
  assert.deepEqual([config.port, config.host, config.roles.size, config.databaseUrl], [3000, "127.0.0.1", 2, ""]);
});

test("every setting has a default that passes its own check, and says what it is for", () => {
  for (const [name, setting] of Object.entries(settings)) {
    assert.doesNotThrow(() => setting.parse(setting.fallback), name);
    assert.ok(setting.about.length > 0, name);
  }
});

const range = (minimum: number, maximum: number) => `must be a whole number from ${minimum} to ${maximum}`;
const encryption = "must be 32 bytes in base64 or hex (try: openssl rand -base64 32)";

/** What an issuer of OpenID Connect requires. */
const oidc = {
  TIDINGS_OIDC_CLIENT_ID: "tidings",
  TIDINGS_OIDC_CLIENT_SECRET: "secret",
  TIDINGS_PUBLIC_URL: "https://notify.example.com",
};

/** What a mail server requires. */
const mail = { TIDINGS_MAIL_FROM: "Tidings <notify@example.com>", TIDINGS_PUBLIC_URL: "https://notify.example.com" };

type Row = { name: string; value: string; fault?: string };

const originFault = "must be a list of origins such as https://app.example.com or production=https://app.example.com";

const rows: Row[] = [
  { name: "TIDINGS_PORT", value: "0" },
  { name: "TIDINGS_PORT", value: "65535" },
  ...["65536", "-1", "80.5", "http", "1e3", "0x50"].map((value) => ({
    name: "TIDINGS_PORT",
    value,
    fault: range(0, 65_535),
  })),
  ...["grpc", "http/protobuf"].map((value) => ({
    name: "OTEL_EXPORTER_OTLP_PROTOCOL",
    value,
    fault: "must be one of: http/json",
  })),
  ...["localhost:4318", "ftp://example.com", "http://example.com/#a"].map((value) => ({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    value,
    fault: "must be an http:// or https:// address such as http://localhost:4318",
  })),
  ...["key", "=value", "a=%zz", "a b=c"].map((value) => ({
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    value,
    fault: "must be a list such as name=value,other=value",
  })),
  ...["1.5", "-1", "half"].map((value) => ({
    name: "OTEL_TRACES_SAMPLER_ARG",
    value,
    fault: "must be a number from 0 to 1",
  })),
  { name: "OTEL_TRACES_SAMPLER_ARG", value: "0.25" },
  { name: "OTEL_SDK_DISABLED", value: "TRUE" },
  { name: "OTEL_SDK_DISABLED", value: "yes", fault: "must be one of: true, false" },
  ...["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"].map((name) => ({
    name,
    value: "collector",
    fault: "must be an http:// or https:// address such as http://localhost:4318",
  })),
  ...["OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_METRIC_EXPORT_INTERVAL"].map((name) => ({
    name,
    value: "0",
    fault: range(1, 3_600_000),
  })),
  ...["OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"].map((name) => ({
    name,
    value: "many",
    fault: range(1, 1_000_000),
  })),
  ...["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"].map((name) => ({
    name,
    value: "console",
    fault: "must be one of: otlp, none",
  })),
  { name: "OTEL_EXPORTER_OTLP_COMPRESSION", value: "br", fault: "must be one of: gzip, none" },
  { name: "OTEL_RESOURCE_ATTRIBUTES", value: "a", fault: "must be a list such as name=value,other=value" },
  { name: "OTEL_SERVICE_NAME", value: "x".repeat(501), fault: "must not be longer than 500 characters" },
  {
    name: "OTEL_TRACES_SAMPLER",
    value: "jaeger_remote",
    fault:
      "must be one of: always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, " +
      "parentbased_traceidratio",
  },
  { name: "TIDINGS_RATE_WRONG_KEYS", value: "0" },
  { name: "TIDINGS_RATE_WRONG_KEYS", value: "some", fault: range(0, 10_000_000) },
  { name: "TIDINGS_MAX_ENVIRONMENTS", value: "1", fault: range(2, 100_000) },
  { name: "TIDINGS_DASHBOARD", value: "off" },
  { name: "TIDINGS_DASHBOARD", value: "no", fault: "must be one of: on, off" },
  { name: "TIDINGS_AUDIT_DAYS", value: "0", fault: range(1, 3_650) },
  ...["http://issuer.example.com", "https://issuer.example.com/?a=1", "issuer"].map((value) => ({
    name: "TIDINGS_OIDC_ISSUER",
    value,
    fault: "must be an https:// address without user, query or fragment, such as https://accounts.google.com",
  })),
  ...["TIDINGS_OIDC_CLIENT_ID", "TIDINGS_OIDC_CLIENT_SECRET", "TIDINGS_OIDC_NAME"].flatMap((name) => [
    { name, value: "text" },
    { name, value: "x".repeat(501), fault: "must not be longer than 500 characters" },
  ]),
  { name: "TIDINGS_OIDC_DOMAINS", value: "example.com, Example.org" },
  {
    name: "TIDINGS_OIDC_DOMAINS",
    value: "@example.com",
    fault: "must be a list of domains such as example.com,example.org",
  },
  { name: "TIDINGS_OIDC_ROLE", value: "owner", fault: "must be one of: viewer, support, editor" },
  ...[
    "http://mail.example.com",
    "mail.example.com:25",
    "smtp://",
    "smtp://mail.example.com/?a=1",
    "smtp://a:%zz@b",
  ].map((value) => ({
    name: "TIDINGS_MAIL_URL",
    value,
    fault: "must be an address such as smtps://user:password@mail.example.com:465",
  })),
  ...["notify@example.com", "Tidings <notify@example.com>"].map((value) => ({ name: "TIDINGS_MAIL_FROM", value })),
  ...["notify", "a@b@c", "<notify@example.com", "a@example.com, b@example.com"].map((value) => ({
    name: "TIDINGS_MAIL_FROM",
    value,
    fault: "must be an email address such as Tidings <notify@example.com>",
  })),
  { name: "TIDINGS_METRICS", value: "off" },
  { name: "TIDINGS_METRICS", value: "false", fault: "must be one of: on, off" },
  { name: "TIDINGS_DOCS", value: "no", fault: "must be one of: on, off" },
  ...["https://notify.example.com", "https://example.com/notify/", "http://localhost:3000", "http://[::1]:3000"].map(
    (value) => ({ name: "TIDINGS_PUBLIC_URL", value }),
  ),
  ...[
    "example.com",
    "http://example.com",
    "https://u:p@example.com",
    "https://example.com/?a=1",
    "ftp://localhost",
  ].map((value) => ({
    name: "TIDINGS_PUBLIC_URL",
    value,
    fault: "must be an https:// address without user, query or fragment, such as https://notify.example.com",
  })),
  { name: "DATABASE_URL", value: "postgresql://localhost/tidings" },
  { name: "DATABASE_URL", value: "postgres://one,two/tidings?target_session_attrs=read-write" },
  { name: "DATABASE_URL", value: "postgres://one,,two/tidings", fault: "has an empty host between its commas" },
  {
    name: "TIDINGS_DIRECT_DATABASE_URL",
    value: "localhost/tidings",
    fault: "must start with postgres:// or postgresql://",
  },
  { name: "DATABASE_URL", value: "mysql://localhost/tidings", fault: "must start with postgres:// or postgresql://" },
  { name: "TIDINGS_REPLICA_DATABASE_URL", value: "postgres://replica/tidings" },
  { name: "TIDINGS_REPLICA_DATABASE_URL", value: "replica", fault: "must start with postgres:// or postgresql://" },
  { name: "TIDINGS_DATABASE_POOL", value: "3", fault: range(4, 500) },
  { name: "TIDINGS_DATABASE_POOL", value: "501", fault: range(4, 500) },
  { name: "TIDINGS_READ_POOL", value: "1", fault: range(2, 500) },
  { name: "TIDINGS_DATABASE_WAIT", value: "-1", fault: range(0, 3_600) },
  { name: "TIDINGS_MIGRATE", value: "no", fault: "must be one of: on, off" },
  { name: "TIDINGS_SHUTDOWN_DELAY", value: "301", fault: range(0, 300) },
  { name: "TIDINGS_LOCK_SECONDS", value: "0", fault: range(1, 60) },
  { name: "TIDINGS_READ_SECONDS", value: "61", fault: range(1, 60) },
  { name: "TIDINGS_API_KEY", value: "x".repeat(16) },
  ...["short", "with a space in the key", "ü".repeat(20), "x".repeat(256)].map((value) => ({
    name: "TIDINGS_API_KEY",
    value,
    fault: "must have 16 to 255 characters without spaces (32 random bytes are a good key)",
  })),
  { name: "TIDINGS_ENCRYPTION_KEY", value: base64(1) },
  { name: "TIDINGS_ENCRYPTION_KEY", value: hex(1) },
  { name: "TIDINGS_ENCRYPTION_KEY", value: hex(171).toUpperCase() },
  { name: "TIDINGS_ENCRYPTION_KEY", value: `2:${base64(2)},1:${hex(1)}` },
  { name: "TIDINGS_ENCRYPTION_KEY", value: "too-short", fault: encryption },
  { name: "TIDINGS_ENCRYPTION_KEY", value: Buffer.alloc(31).toString("base64"), fault: encryption },
  { name: "TIDINGS_ENCRYPTION_KEY", value: Buffer.alloc(33).toString("hex"), fault: encryption },
  { name: "TIDINGS_ENCRYPTION_KEY", value: `2:${base64(2)},`, fault: "is empty" },
  {
    name: "TIDINGS_ENCRYPTION_KEY",
    value: `${base64(2)},${base64(1)}`,
    fault: "names a key version twice; write several keys as 2:<new key>,1:<old key>",
  },
  ...["api", "worker", "api,worker", " worker , api "].map((value) => ({ name: "TIDINGS_ROLE", value })),
  ...["all", "api worker", "api,", "API"].map((value) => ({
    name: "TIDINGS_ROLE",
    value,
    fault: "must be api, worker or api,worker",
  })),
  { name: "TIDINGS_WORKER_CONCURRENCY", value: "0", fault: range(1, 64) },
  { name: "TIDINGS_WORKER_CONCURRENCY", value: "65", fault: range(1, 64) },
  { name: "TIDINGS_TASK_FIRST_WAIT", value: "0", fault: range(1, 300_000) },
  { name: "TIDINGS_PASSWORD_COST", value: "9", fault: range(10, 20) },
  ...["auto", "1", "64", "1-4", "2-2"].map((value) => ({ name: "TIDINGS_THREADS", value })),
  ...["0", "65", "4-1", "0-2", "2-", "two", "1.5"].map((value) => ({
    name: "TIDINGS_THREADS",
    value,
    fault: "must be auto, a whole number from 1 to 64, or a range such as 1-4",
  })),
  { name: "TIDINGS_ALLOW_NETWORKS", value: "127.0.0.0/8, 10.1.2.3,fd00::/8" },
  ...["localhost", "10.0.0.0/33"].map((value) => ({
    name: "TIDINGS_ALLOW_NETWORKS",
    value,
    fault: `"${value}" is not a network: write it like 10.0.0.0/8, 192.168.1.5 or fd00::/8`,
  })),
  { name: "TIDINGS_TRUSTED_PROXIES", value: "10.0.0.0/8, 127.0.0.1" },
  {
    name: "TIDINGS_TRUSTED_PROXIES",
    value: "proxy.internal",
    fault: `"proxy.internal" is not a network: write it like 10.0.0.0/8, 192.168.1.5 or fd00::/8`,
  },
  { name: "TIDINGS_LOG_LEVEL", value: "silent" },
  { name: "TIDINGS_LOG_LEVEL", value: "loud", fault: "must be one of: trace, debug, info, warn, error, silent" },
  { name: "TIDINGS_LOG_FORMAT", value: "json" },
  { name: "TIDINGS_LOG_FORMAT", value: "xml", fault: "must be one of: text, json" },
  ...["TRIGGER", "CONFIGURATION", "GLOBAL"].flatMap((category) => [
    { name: `TIDINGS_RATE_${category}`, value: "0" },
    { name: `TIDINGS_RATE_${category}`, value: "-1", fault: range(0, 10_000_000) },
    { name: `TIDINGS_RATE_${category}`, value: "10000001", fault: range(0, 10_000_000) },
  ]),
  { name: "TIDINGS_BODY_LIMIT", value: "1024" },
  { name: "TIDINGS_BODY_LIMIT", value: "1023", fault: range(1024, 1_073_741_824) },
  { name: "TIDINGS_BULK_BODY_LIMIT", value: "10MB", fault: range(1024, 1_073_741_824) },
  { name: "TIDINGS_ASSET_LIMIT", value: "500MB", fault: range(1024, 1_073_741_824) },
  { name: "TIDINGS_MAX_RECIPIENTS", value: "0", fault: range(1, 10_000) },
  { name: "TIDINGS_RETENTION_DAYS", value: "0", fault: range(3, 3_650) },
  { name: "TIDINGS_RETENTION_DAYS", value: "400" },
  {
    name: "TIDINGS_RETENTION_DAYS",
    value: "60",
    fault: "(60 days) is shorter than TIDINGS_MAX_WAIT_DAYS (90 days): a run that waits needs its event",
  },
  { name: "TIDINGS_RETENTION_IN_APP_DAYS", value: "2", fault: range(3, 3_650) },
  { name: "TIDINGS_RETENTION_CAPTURED_DAYS", value: "0", fault: range(1, 3_650) },
  { name: "TIDINGS_RETENTION_STATISTICS_DAYS", value: "2", fault: range(3, 3_650) },
  { name: "TIDINGS_RETENTION_MAX_DAYS", value: "3651", fault: range(3, 3_650) },
  { name: "TIDINGS_RETENTION_STEP", value: "week", fault: "must be one of: day, month" },
  { name: "TIDINGS_MAX_WAIT_DAYS", value: "3651", fault: range(1, 3_650) },
  { name: "TIDINGS_MAX_SNOOZE_DAYS", value: "0", fault: range(1, 3_650) },
  { name: "TIDINGS_DELIVERY_ATTEMPTS", value: "0", fault: range(1, 20) },
  { name: "TIDINGS_DELIVERY_FIRST_WAIT", value: "1s", fault: range(1, 3_600_000) },
  { name: "TIDINGS_DELIVERY_WAIT_FACTOR", value: "0.5", fault: range(1, 100) },
  { name: "TIDINGS_DELIVERY_LONGEST_RETRY_AFTER", value: "0", fault: range(1, 86_400) },
  { name: "TIDINGS_DELIVERY_DEADLINE", value: "2592001", fault: range(1, 2_592_000) },
  { name: "TIDINGS_DELIVERY_UNKNOWN_WAIT", value: "0", fault: range(1, 86_400) },
  { name: "TIDINGS_DELIVERY_WINDOW", value: "3", fault: range(4, 10_000) },
  { name: "TIDINGS_PROVIDER_TIMEOUT", value: "301", fault: range(1, 300) },
  { name: "TIDINGS_REQUEST_TIMEOUT", value: "61", fault: range(1, 60) },
  { name: "TIDINGS_CIRCUIT_FAILURES", value: "0", fault: range(1, 1_000) },
  { name: "TIDINGS_CIRCUIT_FIRST_PROBE", value: "601", fault: range(1, 600) },
  { name: "TIDINGS_DEAD_LETTER_DAYS", value: "0", fault: range(1, 365) },
  { name: "TIDINGS_DIGEST_EVENTS", value: "0", fault: range(1, 100_000) },
  { name: "TIDINGS_LIVE_CONNECTIONS", value: "0" },
  { name: "TIDINGS_LIVE_CONNECTIONS", value: "1000001", fault: range(0, 1_000_000) },
  { name: "TIDINGS_LIVE_PER_SUBSCRIBER", value: "0", fault: range(1, 10_000) },
  { name: "TIDINGS_LIVE_SWEEP", value: "0", fault: range(1, 3_600) },
  { name: "TIDINGS_LIVE_HEARTBEAT", value: "601", fault: range(1, 600) },
  { name: "TIDINGS_DEFAULT_TIMEZONE", value: "Europe/Berlin" },
  { name: "TIDINGS_DEFAULT_TIMEZONE", value: "Berlin", fault: "must be an IANA time zone such as Europe/Berlin" },
  { name: "TIDINGS_INBOX_ORIGINS", value: "https://a.example.com, production=http://localhost:4000" },
  { name: "TIDINGS_INBOX_ORIGINS", value: "https://a.example.com/path", fault: originFault },
  { name: "TIDINGS_INBOX_ORIGINS", value: "*", fault: originFault },
  { name: "TIDINGS_INBOX_REQUIRE_HASH", value: "never" },
  { name: "TIDINGS_INBOX_REQUIRE_HASH", value: "no", fault: "must be one of: prod, always, never" },
  { name: "TIDINGS_RATE_INBOX", value: "-1", fault: range(0, 10_000_000) },
  { name: "TIDINGS_VOCABULARY", value: "novu" },
  { name: "TIDINGS_VOCABULARY", value: "other", fault: "must be one of: neutral, novu" },
];

const external = { DATABASE_URL: "postgres://localhost/tidings", TIDINGS_ENCRYPTION_KEY: base64(1) };

for (const { name, value, fault } of rows) {
  test(`${name}=${value.slice(0, 40)} ${fault ?? "is fine"}`, () => {
    // An external database requires an encryption key.
    const key: Record<string, string> = name === "DATABASE_URL" ? { TIDINGS_ENCRYPTION_KEY: base64(1) } : {};
    if (name === "TIDINGS_DIRECT_DATABASE_URL") Object.assign(key, external);
    if (name === "TIDINGS_OIDC_ISSUER") Object.assign(key, oidc);
    if (name === "TIDINGS_MAIL_URL") Object.assign(key, mail);
    assert.deepEqual(faultsIn({ [name]: value, ...key }), fault === undefined ? [] : [`${name} ${fault}`]);
  });
}

test("retentions that others need longer are refused with the numbers", () => {
  const faults = faultsIn({
    TIDINGS_RETENTION_DAYS: "100",
    TIDINGS_DEAD_LETTER_DAYS: "120",
    TIDINGS_RETENTION_IN_APP_DAYS: "95",
    TIDINGS_MAX_SNOOZE_DAYS: "98",
  });
  assert.deepEqual(faults, [
    "TIDINGS_RETENTION_DAYS (100 days) is shorter than TIDINGS_DEAD_LETTER_DAYS (120 days): a replay needs the message",
    "TIDINGS_RETENTION_IN_APP_DAYS (95 days) is shorter than TIDINGS_RETENTION_DAYS (100 days): a run refers to its in-app messages",
    "TIDINGS_RETENTION_IN_APP_DAYS (95 days) is shorter than TIDINGS_MAX_SNOOZE_DAYS (98 days): a snoozed message has to return",
  ]);
});

test("every setting that can be wrong is in the table above", () => {
  const free = ["TIDINGS_HOST", "TIDINGS_DATA_DIR"];
  const tested = new Set(rows.filter(({ fault }) => fault).map(({ name }) => name));
  assert.deepEqual(
    Object.keys(settings)
      .filter((name) => !tested.has(name))
      .sort(),
    free.sort(),
  );
});

const misspelt = [
  ["TIDINGS_PROT", "TIDINGS_PORT"],
  ["TIDINGS_DATABASE_URL", "DATABASE_URL"],
  ["TIDINGS_DATABASE_URL_FILE", "DATABASE_URL_FILE"],
  ["TIDINGS_DATABASE_POOLS", "TIDINGS_DATABASE_POOL"],
  ["TIDINGS_ENCRYPTION_FILE", "TIDINGS_ENCRYPTION_KEY"],
  ["TIDINGS_ENCRYPTION_KEYFILE", "TIDINGS_ENCRYPTION_KEY_FILE"],
  ["TIDINGS_ENCRYPTION_KEYS", "TIDINGS_ENCRYPTION_KEY"],
  ["TIDINGS_LOGLEVEL", "TIDINGS_LOG_LEVEL"],
  ["TIDINGS_port", "TIDINGS_PORT"],
];

test("a misspelt setting is an error that names the nearest", () => {
  for (const [name, nearest] of misspelt) {
    assert.deepEqual(faultsIn({ [name!]: "1" }), [`${name} is not a setting; did you mean ${nearest}?`]);
  }
  assert.deepEqual(faultsIn({ TIDINGS_PORT_FILE: "/run/secrets/port" }), [
    "TIDINGS_PORT_FILE is not a setting: TIDINGS_PORT is not a secret, so set it directly",
  ]);
  // Variables of other programs are ignored.
  assert.deepEqual(faultsIn({ PORT: "x", HOME: "/", tidings_port: "x", toString: "x" }), []);
});

test("all faults are told at once, and no value with them", () => {
  const faults = faultsIn({
    TIDINGS_PROT: "s3cret-1",
    TIDINGS_PORT: "s3cret-2",
    TIDINGS_API_KEY: "s3cret-3",
    TIDINGS_ENCRYPTION_KEY: "s3cret-4",
    DATABASE_URL: "s3cret-5",
  });
  assert.deepEqual(faults.map((fault) => fault.split(" ")[0]).sort(), [
    "DATABASE_URL",
    "TIDINGS_API_KEY",
    "TIDINGS_ENCRYPTION_KEY",
    "TIDINGS_PORT",
    "TIDINGS_PROT",
  ]);
  assert.doesNotMatch(faults.join("\n"), /s3cret/);
});

test("a database of one's own needs an encryption key of one's own", () => {
  const fault = "TIDINGS_ENCRYPTION_KEY is required with DATABASE_URL (try: openssl rand -base64 32)";
  assert.deepEqual(faultsIn({ DATABASE_URL: url }), [fault]);
  assert.deepEqual(faultsIn({ DATABASE_URL: url, TIDINGS_ENCRYPTION_KEY: "  " }), [fault]);
  assert.deepEqual(faultsIn({ DATABASE_URL: "  " }), []);
  const config = readConfig({ DATABASE_URL: url, TIDINGS_ENCRYPTION_KEY: base64(1) });
  assert.deepEqual([config.databaseUrl, config.encryptionKeys], [url, [{ version: 1, key: keyOf(1) }]]);
});

test("sign-in with OpenID Connect needs a client and a public URL", () => {
  const issuer = { TIDINGS_OIDC_ISSUER: "https://accounts.example.com" };
  assert.deepEqual(
    faultsIn(issuer),
    Object.keys(oidc).map((name) => `${name} is required with TIDINGS_OIDC_ISSUER`),
  );
  assert.deepEqual(readConfig({ ...issuer, ...oidc, TIDINGS_OIDC_DOMAINS: "Example.com" }).oidc, {
    issuer: "https://accounts.example.com",
    clientId: "tidings",
    clientSecret: "secret",
    name: "single sign-on",
    domains: ["example.com"],
    role: "viewer",
  });
});

test("a mail server needs a sender and a public URL; a password needs TLS", () => {
  const server = (url: string) => readConfig({ TIDINGS_MAIL_URL: url, ...mail }).mailer!.server;
  assert.deepEqual(
    faultsIn({ TIDINGS_MAIL_URL: "smtp://mail.example.com" }),
    Object.keys(mail).map((name) => `${name} is required with TIDINGS_MAIL_URL`),
  );
  const secure = { host: "mail.example.com", port: 465, user: "me@here", password: "p:w", secure: true };
  assert.deepEqual(server("smtps://me%40here:p%3Aw@mail.example.com"), { ...secure, requireTls: true });
  const open = { host: "10.0.0.1", port: 25, user: "", password: "", secure: false, requireTls: false };
  assert.deepEqual(server("smtp://10.0.0.1:25"), open);
  assert.equal(server("smtp://me:secret@10.0.0.1").requireTls, true);
  assert.equal(server("smtp://me:secret@127.0.0.1").requireTls, false);
  assert.deepEqual(readConfig({ TIDINGS_MAIL_URL: "smtp://a", ...mail }).mailer!.from, {
    name: "Tidings",
    address: "notify@example.com",
  });
});

const isNew = { isSetUp: false };
const folder = mkdtempSync(join(tmpdir(), "tidings-config-"));
atEnd(() => rmSync(folder, { recursive: true, force: true }));

test("the embedded database gets a key by itself: made once, readable by its owner alone", () => {
  const dataDir = join(folder, "deep", "data");
  const first = ensureEncryptionKey(readConfig({ TIDINGS_DATA_DIR: dataDir }), isNew);
  assert.equal(first.encryptionKeys.length, 1);
  const file = join(dataDir, "encryption.key");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(Buffer.from(readFileSync(file, "utf8").trim(), "base64"), first.encryptionKeys[0]!.key);
  const again = ensureEncryptionKey(readConfig({ TIDINGS_DATA_DIR: dataDir }), isNew);
  assert.deepEqual(again.encryptionKeys, first.encryptionKeys);
  const other = ensureEncryptionKey(readConfig({ TIDINGS_DATA_DIR: join(folder, "other") }), isNew);
  assert.notDeepEqual(other.encryptionKeys, first.encryptionKeys);
});

test("a lost or empty key file of a database that was set up is never replaced", () => {
  const dataDir = join(folder, "lost");
  const config = readConfig({ TIDINGS_DATA_DIR: dataDir });
  const file = join(dataDir, "encryption.key");
  const refusal = (text: RegExp) => (error: Error) => error instanceof ConfigError && text.test(error.message);
  assert.throws(
    () => ensureEncryptionKey(config, { isSetUp: true }),
    refusal(/encryption\.key is missing, and the secrets in this database .* Put the file back from a backup/),
  );
  assert.throws(() => statSync(file), { code: "ENOENT" });
  writeFileSync(file, "\n");
  for (const isSetUp of [true, false]) {
    assert.throws(
      () => ensureEncryptionKey(config, { isSetUp }),
      refusal(/^The encryption key in .*encryption\.key is empty\. Put the file back from a backup/),
    );
  }
  assert.equal(readFileSync(file, "utf8"), "\n");
});

test("a key that is given is used as it is, and nothing is written", () => {
  const dataDir = join(folder, "untouched");
  const config = readConfig({ TIDINGS_DATA_DIR: dataDir, TIDINGS_ENCRYPTION_KEY: hex(7) });
  assert.equal(ensureEncryptionKey(config, isNew), config);
  assert.throws(() => statSync(dataDir), { code: "ENOENT" });
});

const secretsOf = (text: string) => createSecrets(readConfig({ TIDINGS_ENCRYPTION_KEY: text }).encryptionKeys);

test("rotation: what was encrypted before is read after it, and new secrets use the new key", () => {
  const old = secretsOf(base64(1));
  const stored = old.encrypt("pässword");
  assert.match(stored, /^v1\./);
  assert.notEqual(old.encrypt("pässword"), stored, "equal secrets do not look equal");

  const rotated = secretsOf(`2:${hex(2)}, 1:${base64(1)}`);
  assert.equal(rotated.decrypt(stored), "pässword");
  const renewed = rotated.encrypt("pässword");
  assert.match(renewed, /^v2\./);
  assert.equal(rotated.decrypt(renewed), "pässword");

  assert.throws(() => old.decrypt(renewed), UnknownKeyVersionError);
  assert.throws(() => secretsOf(`2:${hex(2)}`).decrypt(stored), UnknownKeyVersionError);
});

test("a wrong key, a changed text or no ciphertext at all is never read as something else", () => {
  const secrets = secretsOf(base64(1));
  const stored = secrets.encrypt("secret");
  assert.throws(() => secretsOf(base64(9)).decrypt(stored));
  const bytes = Buffer.from(stored.slice(3), "base64url");
  for (const at of [0, 12, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.throws(() => secrets.decrypt(`v1.${changed.toString("base64url")}`), `byte ${at}`);
  }
  for (const text of ["", "secret", "v1.", "v1.AAAA", "v9.AAAA"]) assert.throws(() => secrets.decrypt(text), text);
  assert.equal(secrets.decrypt(secrets.encrypt("")), "");
});

test("traces and metrics are sent where they have an address and are not switched off", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example.com/base/" };
  const telemetryOf = (more: Record<string, string>) => readConfig({ ...endpoint, ...more }).telemetry;
  const urls = (more: Record<string, string>) => {
    const { traces, metrics } = telemetryOf(more) ?? {};
    return [traces?.url, metrics?.url];
  };
  const [traces, metrics] = ["https://otel.example.com/base/v1/traces", "https://otel.example.com/base/v1/metrics"];
  assert.deepEqual(urls({}), [traces, metrics]);
  assert.deepEqual(urls({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a/b" }), ["http://a/b", metrics]);
  assert.deepEqual(urls({ OTEL_METRICS_EXPORTER: "none" }), [traces, undefined]);
  assert.deepEqual(urls({ OTEL_TRACES_EXPORTER: "none" }), [undefined, metrics]);
  assert.equal(telemetryOf({ OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }), null);
  assert.equal(telemetryOf({ OTEL_SDK_DISABLED: "true" }), null);
  assert.deepEqual(telemetryOf({ OTEL_EXPORTER_OTLP_HEADERS: "a=b%2C,c = d=" })?.headers, { a: "b,", c: "d=" });
});
