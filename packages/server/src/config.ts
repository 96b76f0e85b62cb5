// Settings as values: environment variables, read only here, once. Secrets can also be in files. A misspelt TIDINGS_*
// variable is an error that names the nearest setting, because a setting without effect would be noticed too late.
import { readFileSync, statSync } from "node:fs";
import { toTelemetry } from "./lib/settings/otel-settings.ts";
import { readSecretFile } from "./lib/settings/secret-file.ts";
import { nearestName } from "./lib/text/nearest.ts";
import { clientVariables, type Role, type Setting, settings } from "./settings.ts";

export class ConfigError extends Error {}

type Settings = typeof settings;
type Parsed = { [Name in keyof Settings]: ReturnType<Settings[Name]["parse"]> };

export type Config = ReturnType<typeof toConfig>;

const toConfig = (parsed: Parsed) => ({
  host: parsed.TIDINGS_HOST,
  port: parsed.TIDINGS_PORT,
  publicUrl: parsed.TIDINGS_PUBLIC_URL,
  dataDir: parsed.TIDINGS_DATA_DIR,
  databaseUrl: parsed.DATABASE_URL,
  directDatabaseUrl: parsed.TIDINGS_DIRECT_DATABASE_URL,
  replicaUrl: parsed.TIDINGS_REPLICA_DATABASE_URL,
  databasePool: parsed.TIDINGS_DATABASE_POOL,
  databaseWaitSeconds: parsed.TIDINGS_DATABASE_WAIT,
  migrates: parsed.TIDINGS_MIGRATE,
  shutdownDelaySeconds: parsed.TIDINGS_SHUTDOWN_DELAY,
  lockSeconds: parsed.TIDINGS_LOCK_SECONDS,
  reads: { pool: parsed.TIDINGS_READ_POOL, seconds: parsed.TIDINGS_READ_SECONDS },
  apiKey: parsed.TIDINGS_API_KEY,
  encryptionKeys: parsed.TIDINGS_ENCRYPTION_KEY,
  roles: parsed.TIDINGS_ROLE as ReadonlySet<Role>,
  workerConcurrency: parsed.TIDINGS_WORKER_CONCURRENCY,
  taskFirstWaitMs: parsed.TIDINGS_TASK_FIRST_WAIT,
  threads: parsed.TIDINGS_THREADS,
  allowNetworks: parsed.TIDINGS_ALLOW_NETWORKS,
  trustedProxies: parsed.TIDINGS_TRUSTED_PROXIES,
  log: { level: parsed.TIDINGS_LOG_LEVEL, format: parsed.TIDINGS_LOG_FORMAT },
  rates: {
    trigger: parsed.TIDINGS_RATE_TRIGGER,
    configuration: parsed.TIDINGS_RATE_CONFIGURATION,
    global: parsed.TIDINGS_RATE_GLOBAL,
    inbox: parsed.TIDINGS_RATE_INBOX,
  },
  wrongKeys: parsed.TIDINGS_RATE_WRONG_KEYS,
  inbox: { requireHash: parsed.TIDINGS_INBOX_REQUIRE_HASH, origins: parsed.TIDINGS_INBOX_ORIGINS },
  maxEnvironments: parsed.TIDINGS_MAX_ENVIRONMENTS,
  metrics: parsed.TIDINGS_METRICS,
  docs: parsed.TIDINGS_DOCS,
  dashboard: parsed.TIDINGS_DASHBOARD,
  passwordCost: parsed.TIDINGS_PASSWORD_COST,
  mailer:
    parsed.TIDINGS_MAIL_URL && parsed.TIDINGS_MAIL_FROM
      ? { server: parsed.TIDINGS_MAIL_URL, from: parsed.TIDINGS_MAIL_FROM }
      : null,
  oidc: parsed.TIDINGS_OIDC_ISSUER
    ? {
        issuer: parsed.TIDINGS_OIDC_ISSUER,
        clientId: parsed.TIDINGS_OIDC_CLIENT_ID,
        clientSecret: parsed.TIDINGS_OIDC_CLIENT_SECRET,
        name: parsed.TIDINGS_OIDC_NAME,
        domains: parsed.TIDINGS_OIDC_DOMAINS,
        role: parsed.TIDINGS_OIDC_ROLE,
      }
    : null,
  bodyLimit: parsed.TIDINGS_BODY_LIMIT,
  bulkBodyLimit: parsed.TIDINGS_BULK_BODY_LIMIT,
  assetLimit: parsed.TIDINGS_ASSET_LIMIT,
  maxRecipients: parsed.TIDINGS_MAX_RECIPIENTS,
  retention: {
    messages: parsed.TIDINGS_RETENTION_DAYS,
    inApp: parsed.TIDINGS_RETENTION_IN_APP_DAYS,
    captured: parsed.TIDINGS_RETENTION_CAPTURED_DAYS,
    deadLetters: parsed.TIDINGS_DEAD_LETTER_DAYS,
    statistics: parsed.TIDINGS_RETENTION_STATISTICS_DAYS,
    audit: parsed.TIDINGS_AUDIT_DAYS,
    maxDays: parsed.TIDINGS_RETENTION_MAX_DAYS,
    step: parsed.TIDINGS_RETENTION_STEP,
  },
  maxWaitDays: parsed.TIDINGS_MAX_WAIT_DAYS,
  maxSnoozeDays: parsed.TIDINGS_MAX_SNOOZE_DAYS,
  vocabulary: parsed.TIDINGS_VOCABULARY,
  delivery: {
    retry: {
      attempts: parsed.TIDINGS_DELIVERY_ATTEMPTS,
      firstWaitMs: parsed.TIDINGS_DELIVERY_FIRST_WAIT,
      factor: parsed.TIDINGS_DELIVERY_WAIT_FACTOR,
      maxRetryAfterMs: parsed.TIDINGS_DELIVERY_LONGEST_RETRY_AFTER * 1000,
      unknownWaitMs: parsed.TIDINGS_DELIVERY_UNKNOWN_WAIT * 1000,
    },
    breaker: {
      failures: parsed.TIDINGS_CIRCUIT_FAILURES,
      firstProbeMs: parsed.TIDINGS_CIRCUIT_FIRST_PROBE * 1000,
      maxProbeMs: 10 * 60_000,
      // The timeout of the call and some time to write its result.
      probeLimitMs: (parsed.TIDINGS_PROVIDER_TIMEOUT + 30) * 1000,
    },
    deadlineSeconds: parsed.TIDINGS_DELIVERY_DEADLINE,
    window: parsed.TIDINGS_DELIVERY_WINDOW,
    timeoutMs: parsed.TIDINGS_PROVIDER_TIMEOUT * 1000,
    requestTimeoutMs: parsed.TIDINGS_REQUEST_TIMEOUT * 1000,
  },
  live: {
    connections: parsed.TIDINGS_LIVE_CONNECTIONS,
    perSubscriber: parsed.TIDINGS_LIVE_PER_SUBSCRIBER,
    sweepMs: parsed.TIDINGS_LIVE_SWEEP * 1000,
    beatMs: parsed.TIDINGS_LIVE_HEARTBEAT * 1000,
  },
  digestEvents: parsed.TIDINGS_DIGEST_EVENTS,
  defaultTimezone: parsed.TIDINGS_DEFAULT_TIMEZONE,
  telemetry: toTelemetry(parsed),
});

/** Settings that are of no use without others. */
const needs = {
  TIDINGS_DIRECT_DATABASE_URL: ["DATABASE_URL"],
  TIDINGS_OIDC_ISSUER: ["TIDINGS_OIDC_CLIENT_ID", "TIDINGS_OIDC_CLIENT_SECRET", "TIDINGS_PUBLIC_URL"],
  // The mail has a link, which must not begin with whatever host a request names.
  TIDINGS_MAIL_URL: ["TIDINGS_MAIL_FROM", "TIDINGS_PUBLIC_URL"],
};

/** Pairs of settings in days: the first must not be shorter than the second. */
const atLeast = [
  ["TIDINGS_RETENTION_DAYS", "TIDINGS_MAX_WAIT_DAYS", "a run that waits needs its event"],
  ["TIDINGS_RETENTION_DAYS", "TIDINGS_DEAD_LETTER_DAYS", "a replay needs the message"],
  ["TIDINGS_RETENTION_IN_APP_DAYS", "TIDINGS_RETENTION_DAYS", "a run refers to its in-app messages"],
  ["TIDINGS_RETENTION_IN_APP_DAYS", "TIDINGS_MAX_SNOOZE_DAYS", "a snoozed message has to return"],
] as const;

/** The default of in-app messages gives way: only a given number can be too low. */
function* shortRetentions(parsed: Record<string, unknown>, isGiven: (name: string) => boolean): Generator<string> {
  for (const [name, other, reason] of atLeast) {
    const [days, needed] = [Number(parsed[name]), Number(parsed[other])];
    const canGiveWay = name === "TIDINGS_RETENTION_IN_APP_DAYS" && !isGiven(name);
    if (days < needed && !canGiveWay)
      yield `${name} (${days} days) is shorter than ${other} (${needed} days): ${reason}`;
  }
}

type Environment = Record<string, string | undefined>;

const table: [name: string, setting: Setting<unknown>][] = Object.entries(settings);
/** The variable with the path of the file that a secret is in. */
const fileOf = (name: string): string => `${name}_FILE`;
const secretNames = table.filter(([, { isSecret }]) => isSecret).map(([name]) => name);
const knownNames = [...Object.keys(settings), ...secretNames.map(fileOf)];

function* unknownNames(environment: Environment): Generator<string> {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("TIDINGS_") || knownNames.includes(name) || clientVariables.has(name)) continue;
    const setting = name.replace(/_FILE$/, "");
    // Everything that can be in a file is a known name.
    if (Object.hasOwn(settings, setting))
      yield `${name} is not a setting: ${setting} is not a secret, so set it directly`;
    else yield `${name} is not a setting; did you mean ${findMeant(name)}?`;
  }
}

/** Settings of other programs have no prefix, and are often given one. */
function findMeant(name: string): string {
  const bare = name.replace(/^TIDINGS_/, "");
  return knownNames.includes(bare) ? bare : nearestName(name, knownNames);
}

/** The text of a setting, and the file it is from. `text` is null where it was given and cannot be used. */
type Source = { text: string | null; file: string };

/** An empty value counts as unset, because many tools unset a variable that way. */
function findSource(environment: Environment, name: string, faults: string[]): Source {
  const text = environment[name]?.trim() ?? "";
  const path = secretNames.includes(name) ? (environment[fileOf(name)]?.trim() ?? "") : "";
  if (path === "") return { text, file: "" };
  if (text !== "") {
    faults.push(`${name} and ${fileOf(name)} are both set: set one of them`);
    return { text: null, file: "" };
  }
  try {
    return { text: readSecretFile(path, { stat: statSync, read: readFileSync }), file: path };
  } catch (error) {
    faults.push(`${fileOf(name)} ${(error as Error).message}`);
    return { text: null, file: path };
  }
}

/** Reads the settings out of an environment. All errors are reported at once. */
export function readConfig(environment: Environment = process.env): Config {
  const faults: string[] = [...unknownNames(environment)];
  const parsed: Record<string, unknown> = {};
  const sources = new Map(table.map(([name]) => [name, findSource(environment, name, faults)]));
  const isGiven = (name: string): boolean => sources.get(name)?.text !== "";
  for (const [name, setting] of table) {
    const { text, file } = sources.get(name)!;
    try {
      parsed[name] = setting.parse(text || setting.fallback);
    } catch (error) {
      faults.push(`${name} ${file && `in ${file} `}${(error as Error).message}`);
    }
  }
  if (isGiven("DATABASE_URL") && !isGiven("TIDINGS_ENCRYPTION_KEY")) {
    faults.push("TIDINGS_ENCRYPTION_KEY is required with DATABASE_URL (try: openssl rand -base64 32)");
  }
  for (const [setting, needed] of Object.entries(needs)) {
    const missing = isGiven(setting) ? needed.filter((name) => !isGiven(name)) : [];
    for (const name of missing) faults.push(`${name} is required with ${setting}`);
  }
  faults.push(...shortRetentions(parsed, isGiven));
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
  return toConfig(parsed as Parsed);
}

/** The page /inbox has no secret to make a hash with, so it is not served where every session needs one. */
export const hasInboxPage = ({ docs, inbox }: Config): boolean => docs && inbox.requireHash !== "always";
