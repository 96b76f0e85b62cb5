// Starts and stops a service with the settings of the environment, and prints which packages of OpenTelemetry it has
// loaded: a separate program, because a test shares its process with others.
import { registerHooks } from "node:module";
import { pino } from "pino";

const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    const [, name] = /@opentelemetry\/([a-z-]+)/.exec(url) ?? [];
    if (name) loaded.add(name);
    return next(url, context);
  },
});
const { readConfig } = await import("../../src/config.ts");
const { startService } = await import("../../src/service.ts");
const service = await startService(readConfig(), pino({ level: "silent" }));
await service.stop();
process.stdout.write([...loaded].sort().join(" "));
