// The command line: settings from the environment, a banner, signals. `npm start` runs this.
import { ConfigError, readConfig } from "./config.ts";
import { createLogger } from "./log.ts";
import { type Service, startService } from "./service.ts";
import { version } from "./version.ts";

/** Errors whose message says everything a person needs; anything else is shown with its stack. */
const plain = new Set(["ConfigError", "DataFolderInUse", "WrongEncryptionKey", "SchemaTooNew", "MigrationChanged"]);

/** A drain that hangs must not keep the process for ever: a supervisor would kill it anyway. */
const drainLimitMs = 45_000;

function banner(service: Service): string {
  // Once is enough: what a process prints ends up in logs.
  const key = (service.isFirstStart && service.developmentKey) || "<API key>";
  const { url } = service;
  const rows = [
    ["API", url],
    ["Docs", `${url}/docs`],
    ["Database", service.database],
    ["API key", service.isFirstStart ? `${key}  (Development)` : "npm run key shows that of Development"],
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

function stopWhenTold(service: Service): void {
  let isStopping = false;
  const stop = async (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    process.stderr.write(`\nTidings: ${reason}, finishing what is under way …\n`);
    setTimeout(() => process.exit(1), drainLimitMs).unref();
    await service.stop();
    process.stderr.write("Tidings: stopped\n");
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop(`${signal} received`));
  // `npm start` asks for this: when npm is killed in a way it cannot pass on, the service would run on unseen. A process
  // whose parent is gone gets another one.
  if (!process.argv.includes("--stop-with-parent")) return;
  const parent = process.ppid;
  const look = () => void (process.ppid !== parent && stop("the process that started it is gone"));
  setInterval(look, 1_000).unref();
}

try {
  const config = readConfig();
  const service = await startService(config, createLogger(config, process.stderr));
  stopWhenTold(service);
  process.stdout.write(banner(service));
} catch (error) {
  const fault = error as Error;
  const isPlain = fault instanceof ConfigError || plain.has(fault.constructor.name);
  process.stderr.write(`Tidings could not start.\n${isPlain ? fault.message : fault.stack}\n`);
  process.exit(1);
}
