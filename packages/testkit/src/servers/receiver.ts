// A server of a third party, a webhook receiver or a provider: it records requests and responds as the test wants, or
// closes the connection without a response.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebhookEvent } from "@tidings/contract";
import { atEnd } from "../at-end.ts";

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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const isJson = body !== "" && /json/.test(request.headers["content-type"] ?? "json");
    const event = (isJson ? JSON.parse(body) : {}) as WebhookEvent;
    const one = { path: request.url ?? "", headers: request.headers, body, event };
    received.push(one);
    const said = await answer(one);
    if (!said) return response.destroy();
    response.writeHead(said.status, said.headers ?? {}).end(said.text ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, of: (path: string) => received.filter((one) => one.path === path) };
}

/** Whether one of the signatures was created with the secret, checked as the standard describes it for receivers. */
export function isSignedWith(secret: string, { headers, body }: Pick<Received, "headers" | "body">): boolean {
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}
