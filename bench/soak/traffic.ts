// The mixed load of the soak: single and bulk triggers, delays, digests, mails to an SMTP server and calls to a webhook
// provider. Every event has a number, by which the end of the soak finds what was lost.
import { createClient } from "@tidings/testkit/client";
import { sleep } from "@tidings/testkit/programs/limits";
import { post, type Target } from "../load.ts";
import type { Sink } from "../sinks.ts";
import type { BenchService } from "../support.ts";

const people = 1_000;
const delaySeconds = 5;
const digestSeconds = 10;

/** The longest delay or digest of the mix. */
export const longestWaitMs = 1_000 * Math.max(delaySeconds, digestSeconds);

type Kind = "feed" | "later" | "digest" | "mail" | "text";

/** 100 events in 16 requests. */
const mix: { kind: Kind; events: number; requests: number }[] = [
  { kind: "feed", events: 1, requests: 10 },
  { kind: "feed", events: 25, requests: 2 },
  { kind: "later", events: 10, requests: 1 },
  { kind: "digest", events: 10, requests: 1 },
  { kind: "mail", events: 10, requests: 1 },
  { kind: "text", events: 10, requests: 1 },
];
const round = mix.flatMap((one) => Array.from({ length: one.requests }, () => one));

/** Workflows, integrations and subscribers. Live inboxes read the time of the trigger from the text. */
export async function prepareTraffic(service: BenchService, sinks: { smtp: Sink; http: Sink }): Promise<void> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const address = { host: "127.0.0.1", port: String(sinks.smtp.port), ignoreTls: true };
  const mailer = { from: "orders@example.com", senderName: "Orders", ...address };
  const texter = { baseUrl: `http://127.0.0.1:${sinks.http.port}`, apiKeyRequestHeader: "x-key", apiKey: "soak" };
  await client("integrations.create", {
    body: { name: "Mail", channel: "email", providerId: "nodemailer", active: true, credentials: mailer },
  });
  await client("integrations.create", {
    body: {
      name: "Texts",
      channel: "sms",
      providerId: "generic-sms",
      active: true,
      credentials: { ...texter, from: "12", idPath: "id" },
    },
  });
  const feed = { name: "Feed", type: "in_app", controlValues: { body: "at={{ payload.at }} order {{ payload.n }}" } };
  const summary = { name: "Feed", type: "in_app", controlValues: { body: "Several orders" } };
  const wait = (type: string, amount: number) => ({ name: type, type, controlValues: { amount, unit: "seconds" } });
  const mail = { subject: "Order {{ payload.n }}", body: "<p>Hello, order {{ payload.n }}.</p>", editorType: "html" };
  const steps: Record<Kind, object[]> = {
    feed: [feed],
    later: [wait("delay", delaySeconds), summary],
    digest: [wait("digest", digestSeconds), summary],
    mail: [{ name: "Mail", type: "email", controlValues: mail }],
    text: [{ name: "Text", type: "sms", controlValues: { body: "Order {{ payload.n }}" } }],
  };
  for (const [kind, own] of Object.entries(steps)) {
    await client("workflows.create", { body: { name: kind, workflowId: kind, active: true, steps: own as never } });
  }
  for (let from = 0; from < people; from += 500) {
    const subscribers = Array.from({ length: 500 }, (_, n) => ({
      subscriberId: `soak-${String(from + n).padStart(4, "0")}`,
      email: `soak-${from + n}@example.com`,
      phone: "+4915112345678",
    }));
    await client("subscribers.createBulk", { body: { subscribers } });
  }
}

export type Traffic = {
  /** Numbers of events given out so far: 0 to `sent` - 1. */
  sent(): number;
  accepted(): number;
  /** Numbers of the events in requests that failed: whether they were accepted is unknown. */
  unknown: number[];
  /** Requests that were not sent in time, because too many had no response. */
  late(): number;
  /** The time of each request since the last call, in ms. */
  takeTimes(): number[];
  /** As fast as `clients` can, one request after the other. */
  runClosed(clients: number, seconds: number): Promise<void>;
  /** So many events a second, until the moment (performance.now). */
  runPaced(perSecond: number, until: number): Promise<void>;
};

/** More requests than that without a response are not sent. */
const maxOpen = 400;
const tickMs = 50;

export function createTraffic(target: Target): Traffic {
  const unknown: number[] = [];
  let [next, requests, accepted, open, late] = [0, 0, 0, 0, 0];
  let times: number[] = [];

  const fire = async (): Promise<void> => {
    const { kind, events } = round[requests++ % round.length]!;
    const first = next;
    next += events;
    const numbers = Array.from({ length: events }, (_, index) => first + index);
    const all = numbers.map((n) => ({ name: kind, to: recipientOf(n), payload: { n, at: Date.now() } }));
    const begun = performance.now();
    open++;
    try {
      await (events === 1 ? post(target, "/v1/events/trigger", all[0]!) : post(target, bulkPath, { events: all }));
      accepted += events;
      times.push(performance.now() - begun);
    } catch (error) {
      if (unknown.length === 0) console.error(`  a request failed: ${(error as Error).message}`);
      unknown.push(...numbers);
    } finally {
      open--;
    }
  };
  return {
    sent: () => next,
    accepted: () => accepted,
    unknown,
    late: () => late,
    takeTimes() {
      const taken = times;
      times = [];
      return taken;
    },
    async runClosed(clients, seconds) {
      const until = performance.now() + seconds * 1_000;
      const work = async () => {
        while (performance.now() < until) await fire();
      };
      await Promise.all(Array.from({ length: clients }, work));
    },
    async runPaced(perSecond, until) {
      let at = performance.now();
      let owed = 0;
      while (performance.now() < until) {
        const now = performance.now();
        owed += ((now - at) / 1_000) * perSecond;
        at = now;
        while (owed >= round[requests % round.length]!.events) {
          owed -= round[requests % round.length]!.events;
          if (open < maxOpen) void fire();
          else late++;
        }
        await sleep(tickMs);
      }
      while (open > 0) await sleep(tickMs);
    },
  };
}

const bulkPath = "/v1/events/trigger/bulk";

/** Spread, so that the events of one request go to different people. */
const recipientOf = (n: number): string => `soak-${String((n * 7) % people).padStart(4, "0")}`;
