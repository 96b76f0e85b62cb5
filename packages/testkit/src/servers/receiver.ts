// A server of a third party, a webhook receiver or a provider: it records requests and responds as the test wants, or
// closes the connection without a response.
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import type { WebhookEvent } from "@tidings/contract";
import { atEnd } from "../at-end.ts";
import { openHttpServer } from "./http.ts";

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; event: WebhookEvent };
export type Answer = { status: number; text?: string; headers?: Record<string, string> };

/** 200; as a bridge, it has no workflows. */
const answerAsBridge = ({ path }: Received): Answer =>
  path.includes("action=discover") ? { status: 200, text: `{"workflows":[]}` } : { status: 200 };

/** Stopped when the file ends. Start it before the service: what is started first ends first. */
export async function startReceiver(
  answer: (received: Received) => Answer | null | Promise<Answer | null> = answerAsBridge,
) {
  const received: Received[] = [];
  const { url, close } = await openHttpServer(async (request, response) => {
    const body = await text(request);
    const isJson = body !== "" && /json/.test(request.headers["content-type"] ?? "json");
    const event = (isJson ? JSON.parse(body) : {}) as WebhookEvent;
    const one = { path: request.url ?? "", headers: request.headers, body, event };
    received.push(one);
    const said = await answer(one);
    if (!said) return response.destroy();
    response.writeHead(said.status, said.headers ?? {}).end(said.text ?? "");
  });
  atEnd(close);
  return { url, received, of: (path: string) => received.filter((one) => one.path === path) };
}

/** Whether one of the signatures was created with the secret, checked as the standard describes it for receivers. */
export function isSignedWith(secret: string, { headers, body }: Pick<Received, "headers" | "body">): boolean {
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}
