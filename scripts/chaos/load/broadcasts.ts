// Broadcasts that are written as a draft and then sent to a fixed audience.
import type { Caller } from "./caller.ts";
import type { Clients } from "./clients.ts";
import { audienceId, type LoadEnvironment } from "./world.ts";

const broadcastsPerMinute = 1;
const workflowId = "now";

type Tools = { environments: LoadEnvironment[]; caller: Caller; clients: Clients; pace: number };

export function startBroadcasts({ environments, caller, clients, pace }: Tools): { stop(): void } {
  const timers = environments.map((environment) =>
    setInterval(() => void sendBroadcast(environment, caller, clients), 60_000 / broadcastsPerMinute / pace),
  );
  // One soon, so that a short run has some.
  for (const environment of environments) void sendBroadcast(environment, caller, clients);
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

async function sendBroadcast(environment: LoadEnvironment, caller: Caller, clients: Clients): Promise<void> {
  const event = clients.plan(environment, workflowId, { to: environment.invited, broadcast: true });
  const { text } = event;
  const shared = { environment, client: "author", method: "POST" } as const;
  const draft = await caller.call({
    ...{ ...shared, operation: "read", path: "/v2/broadcasts", target: { text } },
    body: { name: text, content: { workflowId, payload: { text } }, audience: { include: [audienceId] } },
  });
  const id = (draft?.body as { _id?: string } | null)?._id;
  if (!id) return;
  const sent = await caller.call({
    ...{ ...shared, operation: "broadcast", path: `/v2/broadcasts/${id}/send`, events: [event] },
    read: (body) => ({ transactionIds: [(body as { transactionId: string | null }).transactionId ?? ""] }),
  });
  const transactionId = sent?.transactionIds[0];
  if (transactionId) clients.follow(environment, event, transactionId);
}
