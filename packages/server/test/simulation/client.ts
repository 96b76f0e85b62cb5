// The callers of the service: requests with events, repeated until they get a response, and cancels.
import { send } from "../../src/app/signals/signals.ts";
import type { Caller, Ctx } from "../../src/context.ts";
import { openBatch, transact, transactWithRetry } from "../../src/pipeline/batch.ts";
import { cancelEvent } from "../../src/pipeline/run/cancel-event.ts";
import { acceptEvents } from "../../src/pipeline/trigger/accept.ts";
import { storeAndStart } from "../../src/pipeline/trigger/trigger.ts";
import type { PlannedRequest, PlannedSignal } from "./scenario.ts";
import { environmentId } from "./workflows.ts";
import { type Process, running } from "./world/schedule.ts";
import { world } from "./world/world.ts";

/** A process takes requests. */
export type Server = { process: Process; ctx: Ctx };

/** Transaction ids of events that were canceled, and when the response came. */
export type CancelLog = Map<string, number>;

export const transactionOf = (n: number): string => `event-${n}`;

const place = { environmentId, environmentType: "prod" as const };

async function accept({ ctx }: Server, { events }: PlannedRequest): Promise<void> {
  await transact(ctx, async (tx) => {
    const batch = await openBatch(tx, [environmentId]);
    const request = {};
    const requested = events.map(({ n, workflow, to, key }) => ({
      request,
      event: {
        name: workflow,
        to: to.map((subscriberId) => ({
          subscriberId,
          email: `${subscriberId}@example.com`,
          phone: "+49150000000",
        })),
        payload: { n, key },
        transactionId: transactionOf(n),
      },
    }));
    await acceptEvents(batch, place, requested as never, { store: storeAndStart });
  });
}

async function cancel({ ctx }: Server, transactionId: string): Promise<void> {
  await transactWithRetry(ctx, async (tx) => {
    const batch = await openBatch(tx, [environmentId]);
    await cancelEvent(batch, environmentId, transactionId);
  });
}

async function signal({ ctx }: Server, { to, key }: PlannedSignal): Promise<void> {
  const body = { name: "go", key: String(key), to };
  await transactWithRetry(ctx, (tx) => send(tx, place as Caller, { body } as never));
}

/** Asks the processes that are alive, until one of them responds. */
function untilDone(servers: Server[], work: (server: Server) => Promise<void>, done: () => void): void {
  const { schedule, random } = world();
  let isDone = false;
  const ask = () => {
    if (isDone) return;
    const alive = servers.filter(({ process }) => process.isAlive && process.frozenUntil <= schedule.now());
    const server = alive.length > 0 ? random.pick(alive) : undefined;
    const respond = () => {
      if (isDone) return;
      isDone = true;
      done();
    };
    if (server) {
      running.run(server.process, () => void work(server).then(respond, () => void schedule.after(200, null, ask)));
    }
    // A process that died or hangs does not respond.
    schedule.after(10_000 + random.below(5_000), null, ask);
  };
  ask();
}

/** A signal that is repeated, because its response was lost, is another signal. */
export function sendSignals(servers: Server[], signals: PlannedSignal[]): void {
  const { schedule, note } = world();
  for (const one of signals) {
    const onDone = () => note(`signal ${one.key} to ${one.to.join(", ")}`);
    schedule.after(one.at, null, () => untilDone(servers, (server) => signal(server, one), onDone));
  }
}

/** Returns what was canceled, which grows while the simulation runs. */
export function sendRequests(servers: Server[], requests: PlannedRequest[]): CancelLog {
  const { schedule, note } = world();
  const canceled: CancelLog = new Map();
  for (const request of requests) {
    const [first] = request.events;
    const names = request.events.map(({ n, workflow, to }) => `${transactionOf(n)} (${workflow} to ${to.join(", ")})`);
    const onAccepted = () => {
      note(`accepted: ${names.join(", ")}`);
      if (request.cancelAfterMs === null) return;
      const transactionId = transactionOf(first!.n);
      const onCanceled = () => {
        note(`canceled: ${transactionId}`);
        canceled.set(transactionId, schedule.now());
      };
      const start = () => untilDone(servers, (server) => cancel(server, transactionId), onCanceled);
      schedule.after(request.cancelAfterMs, null, start);
    };
    schedule.after(request.at, null, () => untilDone(servers, (server) => accept(server, request), onAccepted));
  }
  return canceled;
}
