// The service itself: its queues, what was given up, its clock and its certificate.
import { connect } from "node:tls";
import type { SystemState } from "@tidings/contract";
import { type Finding, fault, ok, unknown, warning } from "./finding.ts";

const lateSeconds = 60;
const veryLateSeconds = 600;

export function checkSystem({ versions, processes, queue, environment }: SystemState): Finding[] {
  const findings = [
    ok("service", `version ${versions.service}, PostgreSQL ${versions.postgres}, ${processes} connected`),
  ];
  const slowest = queue.reduce((worst, one) => (one.lagSeconds > worst.lagSeconds ? one : worst), {
    kind: "",
    lagSeconds: 0,
  });
  const lag = Math.round(slowest.lagSeconds);
  if (lag < lateSeconds) findings.push(ok("queue", "no task waits longer than a minute"));
  else
    findings.push(
      (lag < veryLateSeconds ? warning : fault)(
        "queue",
        `the oldest task of the stage "${slowest.kind}" waits for ${lag} s`,
        "Start more processes with TIDINGS_ROLE=worker, or see in the log what keeps them.",
      ),
    );
  for (const { identifier, state, failures, nextProbeAt } of environment.breakers)
    findings.push(
      fault(
        `breaker of ${identifier}`,
        `${state}: ${failures} calls failed in a row${nextProbeAt ? `, next probe ${nextProbeAt}` : ""}`,
        `tidings integrations check ${identifier}`,
      ),
    );
  if (environment.breakers.length === 0) findings.push(ok("breakers", "all closed"));
  findings.push(...checkCounts(environment));
  return findings;
}

function checkCounts(environment: SystemState["environment"]): Finding[] {
  const counts: [subject: string, count: number, fix: string][] = [
    ["dead letters", environment.deadLetters, "tidings dead-letters ls"],
    ["failed tasks", environment.failedTasks, "GET /v1/failed-tasks lists them; POST …/replay runs one again."],
    [
      "failed webhook deliveries",
      environment.failedWebhookDeliveries,
      "POST /v2/webhooks/{id}/replay delivers them again.",
    ],
    [
      "webhooks switched off by the service",
      environment.disabledWebhooks,
      "Mend the receiver, then switch the webhook on again.",
    ],
  ];
  return counts.map(([subject, count, fix]) =>
    count === 0 ? ok(subject, "none") : warning(subject, String(count), fix),
  );
}

const skewedSeconds = 5;
const verySkewedSeconds = 60;

/** The Date header has whole seconds; what the request took is added to the tolerance. */
export async function checkClock(url: string, now: () => number, signal: AbortSignal): Promise<Finding> {
  const started = now();
  let date: string | null;
  try {
    const response = await fetch(url, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    });
    date = response.headers.get("date");
  } catch {
    return unknown("clock", "not checked: the service did not respond within 10 s");
  }
  const ended = now();
  if (date === null || Number.isNaN(Date.parse(date)))
    return unknown("clock", "not checked: the response has no Date header");
  const skew = Math.abs((started + ended) / 2 - (Date.parse(date) + 500)) - (ended - started) / 2 - 500;
  const seconds = Math.max(0, Math.round(skew / 1_000));
  if (seconds < skewedSeconds) return ok("clock", "the same here and at the service");
  const make = seconds < verySkewedSeconds ? warning : fault;
  return make(
    "clock",
    `${seconds} s apart between here and the service`,
    "Set both clocks by NTP: signatures are valid for five minutes.",
  );
}

const dayMs = 86_400_000;

export async function checkTls(url: string, now: () => number): Promise<Finding> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "http:") {
    if (/^(localhost|127\.|::1$)/.test(host)) return ok("TLS", "not needed: the service is on this machine");
    return warning(
      "TLS",
      "the service is reached without encryption",
      "Put it behind a proxy with a certificate, and log in with https://.",
    );
  }
  const end = await readCertificateEnd(host, Number(port || 443));
  if (typeof end === "string") return unknown("TLS", `not checked: ${end}`);
  const days = Math.floor((end - now()) / dayMs);
  if (days < 0) return fault("TLS", `the certificate ended ${-days} days ago`, "Renew it.");
  if (days < 14) return warning("TLS", `the certificate ends in ${days} days`, "Renew it.");
  return ok("TLS", `the certificate is valid for ${days} days`);
}

/**
 * When the certificate ends, or why that is not known. Includes certificates that are not trusted.
 */
function readCertificateEnd(host: string, port: number): Promise<number | string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false, timeout: 10_000 }, () => {
      const { valid_to } = socket.getPeerCertificate();
      socket.destroy();
      resolve(valid_to ? Date.parse(valid_to) : "the service showed no certificate");
    });
    socket.once("timeout", () => {
      socket.destroy();
      resolve("no response within 10 s");
    });
    socket.once("error", (error) => resolve(error.message));
  });
}
