// The command line: settings from the environment, a banner, signals. `npm start` runs it by way of start.ts.
import type { Logger } from "pino";
import { requireFreeAddress } from "./address.ts";
import { type Config, ConfigError, hasInboxPage, readConfig } from "./config.ts";
import { openDatabase } from "./database.ts";
import { placeSecrets, type SecretsPlace } from "./first-start.ts";
import { createLogger, isJsonLog } from "./log.ts";
import type { Service } from "./service.ts";
import { version } from "./version.ts";

/** Errors of the operator, shown without a stack. */
const errorsWithoutStack = new Set([
  "ConfigError",
  "DataFolderInUseError",
  "DataFolderError",
  "WrongEncryptionKeyError",
  "SchemaTooNewError",
  "SchemaTooOldError",
  "MigrationStoppedError",
  "DatabaseUnreachableError",
  "MigrationChangedError",
  "UpgradeNeededError",
]);

/** After the first requests of a service that was waited for. */
const releaseAfterMs = 3_000;

/** The process exits this long after the end of service even if a drain hangs, before a supervisor kills it. */
const drainLimitMs = 45_000;

function banner(service: Service, config: Config, place: SecretsPlace): string {
  if (!config.roles.has("api")) return workerBanner(service);
  const isShown = place.kind === "shown";
  // Shown once only, and on a terminal only: other output ends up in logs.
  const key = (isShown && service.isFirstStart && service.developmentKey) || "<API key>";
  const file = !isShown && place.file ? `in ${place.file}` : null;
  const link = isShown
    ? `${service.firstLink}  (once, as owner, within 24 hours)`
    : (file ?? "npm run sign-in (or tidings sign-in) creates a link");
  const firstKey = isShown ? `${key}  (Development)` : file;
  const { shownUrl: url } = service;
  const rows = [
    ["API", url],
    ["Docs", `${url}/docs`],
    ...(hasInboxPage(config) ? [["Inbox", `${url}/inbox`]] : []),
    ["Database", service.database],
    ...(service.firstLink ? [["Sign in", link]] : []),
    ["API key", (service.isFirstStart && firstKey) || "npm run key (or tidings key) shows that of Development"],
  ];
  const body = JSON.stringify({
    events: [{ name: "welcome", to: "ada", payload: { product: "Tidings" } }],
  });
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(10)}${value}`);
  return [
    "",
    `  Tidings ${version} is ready`,
    "",
    ...lines,
    "",
    "  Send a first notification:",
    "",
    `  curl -X POST ${url}/v1/events/trigger/bulk \\`,
    `    -H 'Authorization: ApiKey ${key}' -H 'Content-Type: application/json' \\`,
    `    -d '${body}'`,
    "",
    "  and read it in the subscriber's feed:",
    "",
    `  curl ${url}/v1/subscribers/ada/notifications/feed -H 'Authorization: ApiKey ${key}'`,
    "",
    "",
  ].join("\n");
}

/** A worker takes no requests of clients. */
function workerBanner({ shownUrl, database }: Service): string {
  const rows = [`Worker    ${shownUrl}  (serves /health, /ready and /metrics only)`, `Database  ${database}`];
  return ["", `  Tidings ${version} works on tasks`, "", ...rows.map((row) => `  ${row}`), "", ""].join("\n");
}

/** Says something about the process, to people or, in a log of JSON lines, to programs. */
type Say = (event: string) => void;

const sayTo = (log: Logger, config: Config): Say =>
  isJsonLog(config, process.stderr)
    ? (event) => log.info(event)
    : (event) => process.stderr.write(`Tidings: ${event}\n`);

/** A log of JSON lines has no banner, and output that is not a terminal no secrets: the log says where they are. */
function announce(service: Service, config: Config, log: Logger): void {
  const isJson = isJsonLog(config, process.stderr);
  const place = placeSecrets(service, config.dataDir, !isJson && process.stdout.isTTY);
  const { shownUrl: url, database } = service;
  if (!isJson) process.stdout.write(banner(service, config, place));
  else
    log.info(
      { version, url, database, ...(place.kind === "kept" && place.file && { firstStart: place.file }) },
      "Tidings is ready",
    );
}

function stopOnSignal(service: Service, { shutdownDelaySeconds }: Config, say: Say): void {
  let isStopping = false;
  const stop = async (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    // The terminal has written ^C to this line.
    if (process.stderr.isTTY) process.stderr.write("\n");
    say(`${reason}, finishing requests and tasks in progress …`);
    setTimeout(() => process.exit(1), shutdownDelaySeconds * 1_000 + drainLimitMs).unref();
    await service.stop();
    say("stopped");
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop(`${signal} received`));
  // `npm start` passes this option: when npm is killed without forwarding the signal, the service would keep running. A
  // process whose parent has ended gets another parent.
  if (!process.argv.includes("--stop-with-parent")) return;
  const parent = process.ppid;
  const stopWithoutParent = () => void (process.ppid !== parent && stop("the process that started it has ended"));
  setInterval(stopWithoutParent, 1_000).unref();
}

/**
 * Loading leaves 35 MB of garbage, which an idle service would keep: V8 collects when memory is needed. Absent without
 * the option --expose-gc of start.mjs.
 */
function releaseMemory(): void {
  globalThis.gc?.({ type: "major", execution: "async", flavor: "last-resort" });
}

/** The rest of the service is loaded while the embedded PostgreSQL starts. */
async function start(config: Config, log: Logger): Promise<Service> {
  await requireFreeAddress(config);
  const { promise: launched, resolve: onLaunched } = Promise.withResolvers<void>();
  const opening = openDatabase(config, log, onLaunched);
  // Loading takes turns of the event loop that the launch needs. A failure is reported by startService.
  await Promise.race([launched, opening.catch(() => {})]);
  const { startService } = await import("./service.ts");
  return startService(config, log, opening);
}

function reportFailure(error: unknown, log: Logger | null): void {
  const fault = error as Error;
  const isPlain = fault instanceof ConfigError || errorsWithoutStack.has(fault.constructor.name);
  if (log?.isLevelEnabled("fatal"))
    log.fatal(isPlain ? { reason: fault.message } : { err: fault }, "Tidings could not start");
  else process.stderr.write(`Tidings could not start.\n${isPlain ? fault.message : fault.stack}\n`);
}

/** The log that a failure is reported to: null before settings were read, and where people read the output. */
let jsonLog: Logger | null = null;
try {
  const config = readConfig();
  const log = createLogger(config, process.stderr);
  if (isJsonLog(config, process.stderr)) jsonLog = log;
  const service = await start(config, log);
  stopOnSignal(service, config, sayTo(log, config));
  announce(service, config, log);
  setTimeout(releaseMemory, releaseAfterMs).unref();
} catch (error) {
  reportFailure(error, jsonLog);
  process.exit(1);
}
