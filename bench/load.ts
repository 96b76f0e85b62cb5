// The load of in-app notifications: HTTP bulk triggers with 100 events each and a fresh idempotency key, as existing
// clients send them, by eight clients at once.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { createClient } from "@tidings/testkit/client";
import type { BenchService } from "./support.ts";

export const buyers = 1_000;
const eventsPerRequest = 100;
const clients = 8;

export type Target = { url: string; apiKey: string };

/** The workflow `order-shipped` with one in-app step, and its subscribers. */
export async function prepareInApp(service: BenchService): Promise<void> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  await client("workflows.create", {
    body: {
      name: "Order shipped",
      workflowId: "order-shipped",
      active: true,
      steps: [
        {
          name: "Feed",
          type: "in_app",
          controlValues: {
            subject: "Order {{ payload.order }} shipped",
            body: "Hello {{ subscriber.firstName }}, order {{ payload.order }} is on its way to {{ payload.city }}.",
            redirect: { url: "/orders/{{ payload.order }}" },
          },
        },
      ],
    },
  });
  for (let from = 0; from < buyers; from += 500) {
    const people = Array.from({ length: 500 }, (_, i) => ({
      subscriberId: `buyer-${from + i}`,
      firstName: `Buyer ${from + i}`,
    }));
    await client("subscribers.createBulk", { body: { subscribers: people } });
  }
}

const makeEvent = (number: number) => ({
  name: "order-shipped",
  to: `buyer-${number % buyers}`,
  payload: { order: String(4711 + number), city: "Reykjavík", items: [{ sku: "A-1", quantity: 2 }] },
});

export async function fireInApp(target: Target, count: number): Promise<void> {
  let sent = 0;
  const one = async () => {
    while (sent < count) {
      const first = sent;
      sent += eventsPerRequest;
      await triggerBulk(
        target,
        Array.from({ length: eventsPerRequest }, (_, i) => makeEvent(first + i)),
      );
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
}

/** One event for one subscriber, in a bulk request. */
export const fireOne = (target: Target, number: number): Promise<void> => triggerBulk(target, [makeEvent(number)]);

/** One event for one subscriber, in its own request. */
export const fireSingle = (target: Target, number: number): Promise<void> =>
  post(target, "/v1/events/trigger", makeEvent(number));

const triggerBulk = (target: Target, events: object[]): Promise<void> =>
  post(target, "/v1/events/trigger/bulk", { events });

/** Connections stay open. node:http, because fetch takes twice the CPU time, which the service would lack. */
const agent = new Agent({ keepAlive: true });

export async function post({ url, apiKey }: Target, path: string, body: object): Promise<void> {
  const call = request(`${url}${path}`, {
    agent,
    method: "POST",
    headers: {
      authorization: `ApiKey ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
  });
  call.end(JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const results = [await json(response)].flat() as { status?: string }[];
  // A signal has no status.
  if (response.statusCode !== 201 || results.some(({ status = "processed" }) => status !== "processed")) {
    throw new Error(`${path} answered ${response.statusCode}: ${JSON.stringify(results).slice(0, 200)}`);
  }
}
