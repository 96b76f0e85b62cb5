// The browser of a subscriber: opens a session and calls the inbox with its token.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Client } from "@tidings/testkit/client";
import { type Reply, request } from "@tidings/testkit/http";

type Target = { url: string; apiKey: string };

export const hashOf = (text: string, apiKey: string): string => createHmac("sha256", apiKey).update(text).digest("hex");

export const identifierOf = async (client: Client): Promise<string> =>
  (await client("environments.list")).body.find(({ apiKeys }) => apiKeys !== undefined)!.identifier;

/** A POST of the session, whatever comes of it. */
export const askSession = (target: Target, body: object, headers: Record<string, string> = {}): Promise<Reply> =>
  request(target, "/v1/inbox/session", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

export type Inbox = {
  token: string;
  session: Record<string, unknown>;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
};

export const inboxWith = (target: Target, token: string, session: Record<string, unknown> = {}): Inbox => ({
  token,
  session,
  call: (method, path, body, headers) =>
    request(target, `/v1/inbox${path}`, {
      method,
      // Existing clients send the content type also without a body.
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
});

export async function openInbox(target: Target, body: object): Promise<Inbox> {
  const reply = await askSession(target, body);
  assert.equal(reply.status, 201, reply.text);
  const { data } = reply.body as { data: { token: string } };
  return inboxWith(target, data.token, data);
}
