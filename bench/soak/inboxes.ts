// Live inboxes of the soak: WebSockets that count what arrives and how late, and readers that mark some of it as read.
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { progress } from "@tidings/testkit/load/progress";
import { openAll, signTokens } from "../live.ts";
import type { BenchService } from "../support.ts";

export type Inboxes = {
  /** Time from the trigger to the inbox of each message since the last call, in ms. */
  takeTimes(): number[];
  marks(): number;
  /** Marks without success, by status; 0 where there was no response. */
  failedMarks: Map<number, number>;
  /** Connections that the service has closed. */
  closed(): number;
  /** The ids of the messages that have arrived, and how many arrived twice. */
  arrived: Set<string>;
  twice(): number;
  /** The subscribers with an inbox. */
  subscriberIds: string[];
  close(): void;
};

/** One of so many messages is marked as read. */
const markedEvery = 10;

type Received = { event: string; data: { message?: { _id: string; content: string } } };

export async function openInboxes(service: BenchService, count: number, validMs: number): Promise<Inboxes> {
  const sessions = (await signTokens(service, "soak-%", validMs)).slice(0, count);
  progress(`${count} live inboxes …`);
  const arrived = new Set<string>();
  let times: number[] = [];
  let [twice, marks, closed, isClosing] = [0, 0, 0, false];
  const failedMarks = new Map<number, number>();

  const mark = async (id: string, token: string): Promise<void> => {
    marks++;
    const status = await patch(service.url, `/v1/inbox/notifications/${id}/read`, token).catch(() => 0);
    if (status !== 200) failedMarks.set(status, (failedMarks.get(status) ?? 0) + 1);
  };
  const urls = sessions.map(({ token }) => `${service.url.replace("http", "ws")}/ws?token=${token}`);
  const sockets = await openAll(urls, (text, index) => {
    const { event, data } = JSON.parse(text) as Received;
    if (event !== "notification_received" || !data.message) return;
    const { _id: id, content } = data.message;
    if (arrived.has(id)) twice++;
    arrived.add(id);
    const at = /^at=(\d+)/.exec(content)?.[1];
    if (at) times.push(Date.now() - Number(at));
    if (arrived.size % markedEvery === 0) void mark(id, sessions[index]!.token);
  });
  for (const socket of sockets) socket.on("close", () => !isClosing && closed++);
  return {
    takeTimes() {
      const taken = times;
      times = [];
      return taken;
    },
    marks: () => marks,
    failedMarks,
    closed: () => closed,
    arrived,
    twice: () => twice,
    subscriberIds: sessions.map(({ subscriberId }) => subscriberId),
    close() {
      isClosing = true;
      for (const socket of sockets) socket.terminate();
    },
  };
}

const agent = new Agent({ keepAlive: true });

async function patch(url: string, path: string, token: string): Promise<number> {
  const call = request(`${url}${path}`, { agent, method: "PATCH", headers: { authorization: `Bearer ${token}` } });
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode!;
}
