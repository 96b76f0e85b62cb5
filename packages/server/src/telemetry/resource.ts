// What traces and metrics share: how this process calls itself, and how it exports.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { hostname } from "node:os";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { Logger } from "pino";
import type { Telemetry } from "../lib/settings/otel-settings.ts";
import { version } from "../version.ts";

export type TelemetryLog = Pick<Logger, "warn" | "info">;

/** How long a stop waits for the last export. */
const closeMs = 3_000;

export const toResource = ({ serviceName, attributes }: Telemetry): Resource =>
  resourceFromAttributes({
    // The same in all threads of a process, different in each process.
    "service.instance.id": `${hostname()}:${process.pid}`,
    "service.version": version,
    ...attributes,
    "service.name": serviceName,
  });

/** The options of an exporter, and what closes its connections. */
export function exportOptions({ headers, compression, timeoutMs }: Telemetry, url: string) {
  const Agent = url.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true });
  return {
    options: {
      url,
      headers,
      timeoutMillis: timeoutMs,
      compression: compression as never,
      httpAgentOptions: () => agent,
    },
    disconnect: () => agent.destroy(),
  };
}

type Result = { code: number; error?: Error };

/**
 * Notes the results of exports. A collector that cannot be reached is logged once, and once when it is back: spans are
 * many, and a log line for each failed export would be as many.
 */
export function createExportWatch(log: TelemetryLog, what: "traces" | "metrics") {
  let isFailing = false;
  return ({ code, error }: Result): void => {
    const hasFailed = code !== 0;
    if (hasFailed === isFailing) return;
    isFailing = hasFailed;
    if (hasFailed)
      log.warn({ reason: error?.message, signal: what }, "the OpenTelemetry collector does not accept exports");
    else log.info({ signal: what }, "the OpenTelemetry collector accepts exports again");
  };
}

/** Waits for the last export, not longer than `closeMs`. Its result was noted. */
export async function closeInTime(work: Promise<unknown>): Promise<void> {
  const { promise: limit, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, closeMs);
  await Promise.race([work.catch(() => {}), limit]);
  clearTimeout(timer);
}
