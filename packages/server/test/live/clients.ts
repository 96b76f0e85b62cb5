// Clients of the three doors, and the tokens they connect with.
import { get, type IncomingMessage } from "node:http";
import { get as getSecurely } from "node:https";
import type { TestService } from "@tidings/testkit/service";
import { sql } from "kysely";
import { io, type Socket } from "socket.io-client";
import { WebSocket } from "ws";
import { createSecrets, parseEncryptionKeys } from "../../src/lib/secrets.ts";
import { signInboxToken } from "../../src/lib/tokens/inbox-token.ts";

/** The encryption key of the services in test/live, with which tests sign tokens. */
export const encryptionKey = Buffer.alloc(32, 7).toString("base64");
export const secrets = createSecrets(parseEncryptionKeys(encryptionKey));

type Target = Pick<TestService, "db">;

/** A token for a subscriber of the Development environment, which is created if it does not exist. */
export async function tokenFor(
  service: Target & Pick<TestService, "client">,
  subscriberId: string,
  expiresInMs = 600_000,
  contextKeys?: string[],
) {
  await service.client("subscribers.create", { body: { subscriberId } });
  const { rows } = await sql<{ id: string; environment_id: string; key_id: string }>`
    select s.id, s.environment_id, k.id as key_id from subscribers s
    join api_keys k on k.environment_id = s.environment_id and k.revoked_at is null
    where s.subscriber_id = ${subscriberId}`.execute(service.db);
  const { id, environment_id, key_id } = rows[0]!;
  const expiresAt = new Date(Date.now() + expiresInMs);
  const session = { environmentId: environment_id, subscriberId: id, keyId: key_id, expiresAt };
  return signInboxToken(secrets, contextKeys ? { ...session, contextKeys } : session);
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the members that they expect
export type Received = { name: string; id?: string; data: any };

export type LiveClient = {
  events: Received[];
  named(name: string): Received[];
  /** The status of a refused connection. */
  status(): number | null;
  isOpen(): boolean;
  lastId(): string | undefined;
  /** Stops reading; the server's output waits. */
  pause(): void;
  close(): void;
};

/** `ca`: the certificate of a proxy. */
type Options = { lastId?: string; onEvent?: (event: Received) => void; query?: boolean; ca?: string };

export function openStream(url: string, token: string, { lastId, onEvent, query, ca }: Options = {}): LiveClient {
  const events: Received[] = [];
  let [status, isOpen, text]: [number | null, boolean, string] = [null, false, ""];
  let last = lastId;
  let response: IncomingMessage | undefined;
  const headers = {
    ...(query ? {} : { authorization: `Bearer ${token}` }),
    ...(lastId ? { "last-event-id": lastId } : {}),
  };
  const path = `${url}/v1/inbox/stream${query ? `?token=${token}` : ""}`;
  const request = (ca ? getSecurely : get)(path, { headers, ca }, (answer) => {
    response = answer;
    status = answer.statusCode!;
    isOpen = status === 200;
    answer.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) read(block);
    });
    answer.on("close", () => {
      isOpen = false;
    });
    answer.on("error", () => {});
  });
  const read = (block: string) => {
    const fields = new Map(block.split("\n").map((line) => [line.split(":")[0]!, line.slice(line.indexOf(":") + 2)]));
    if (!fields.has("event")) return;
    const event = { name: fields.get("event")!, id: fields.get("id"), data: JSON.parse(fields.get("data")!) };
    last = event.id;
    events.push(event);
    onEvent?.(event);
  };
  request.on("error", () => {});
  return {
    events,
    named: (name) => events.filter((event) => event.name === name),
    status: () => status,
    isOpen: () => isOpen,
    lastId: () => last,
    pause: () => response?.pause(),
    close: () => request.destroy(),
  };
}

export function openWebSocket(url: string, token: string, { onEvent, ca }: Options = {}, path = "/ws"): LiveClient {
  const events: Received[] = [];
  let status: number | null = null;
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}?token=${token}`, { ca });
  socket.on("message", (text) => {
    if (String(text) === "pong") return void events.push({ name: "pong", data: null });
    const { event, data } = JSON.parse(String(text));
    events.push({ name: event, data });
    onEvent?.({ name: event, data });
  });
  socket.on("unexpected-response", (_request, answer) => {
    status = answer.statusCode!;
    answer.resume();
  });
  socket.on("open", () => socket.send("ping"));
  socket.on("error", () => {});
  return {
    events,
    named: (name) => events.filter((event) => event.name === name),
    status: () => status,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    lastId: () => undefined,
    pause: () => socket.pause(),
    close: () => socket.terminate(),
  };
}

export type IoClient = LiveClient & { socket: Socket };

/** The published client of socket.io, as existing widgets use it. */
export function openSocketIo(url: string, token: string, { onEvent, ca }: Options = {}): IoClient {
  const events: Received[] = [];
  const socket = io(url, { transports: ["websocket"], query: { token }, forceNew: true, reconnectionDelay: 100, ca });
  socket.onAny((name, data) => {
    events.push({ name, data });
    onEvent?.({ name, data });
  });
  return {
    socket,
    events,
    named: (name) => events.filter((event) => event.name === name),
    status: () => null,
    isOpen: () => socket.connected,
    lastId: () => undefined,
    pause: () => {},
    close: () => void socket.disconnect(),
  };
}
