// Reads the inboxes that may have changed, 200 at a time and one query after the other, and sends the differences to
// their connections. However many hints, connections or reconnections there are, this is all the load they put on the
// database.
import type { NetworkCtx } from "../../context.ts";
import { findInboxMessages, type InboxState, readInboxes } from "../../store/messages/live.batch.ts";
import { eventsOfChanges, eventsOfStart, type LiveEvent } from "./events.ts";
import {
  type Changes,
  changedSince,
  compare,
  missedBy,
  newest,
  type Told,
  timeOfReading,
  toTold,
  windowStart,
} from "./inbox.ts";
import type { ResumePoint } from "./resume-token.ts";

export type Connection = {
  /**
   * `opened`: it waits for the client; `starting`: it gets the counts with the next reading; then `live`, then
   * `closed`.
   */
  state: "opened" | "starting" | "live" | "closed";
  /** `lost`: the client has a token that cannot be used. */
  resume: ResumePoint | "lost" | null;
  deliver(events: LiveEvent[]): void;
};

/** The inbox of a subscriber; with `contextKeys`, what a session for exactly these contexts sees of it. */
export type Inbox = {
  environmentId: string;
  subscriberId: string;
  contextKeys: string[] | null;
  connections: Set<Connection>;
  /** Null until the first reading. */
  told: Told | null;
  readAtMs: number;
};

export type Reader = {
  /** Reads the inbox soon. */
  request(inbox: Inbox): void;
  /** Ends after the reading in progress. */
  close(): Promise<void>;
};

const inboxesPerReading = 200;
const retryMs = 1_000;

/** `onGone` is called for the inbox of a deleted subscriber. */
export function createReader(ctx: NetworkCtx, onGone: (inbox: Inbox) => void): Reader {
  const waiting = new Set<Inbox>();
  let reading: Promise<void> | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;

  const start = () => {
    if (reading || timer || isClosed || waiting.size === 0) return;
    reading = readAll().finally(() => {
      reading = null;
    });
  };
  const readAll = async () => {
    while (waiting.size > 0 && !isClosed) {
      const batch = [...waiting].slice(0, inboxesPerReading);
      for (const inbox of batch) waiting.delete(inbox);
      try {
        await readBatch(
          ctx,
          batch.filter((inbox) => inbox.connections.size > 0),
          onGone,
        );
      } catch (error) {
        if (isClosed) return;
        ctx.faults.noteInBackground(error);
        for (const inbox of batch) waiting.add(inbox);
        timer = setTimeout(() => {
          timer = null;
          start();
        }, retryMs);
        timer.unref();
        return;
      }
    }
  };
  return {
    request(inbox) {
      waiting.add(inbox);
      start();
    },
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      await reading;
    },
  };
}

type Plan = { inbox: Inbox; state: InboxState; live: Connection[]; changes: Changes | null; starting: Connection[] };

async function readBatch(ctx: NetworkCtx, inboxes: Inbox[], onGone: (inbox: Inbox) => void): Promise<void> {
  if (inboxes.length === 0) return;
  const { db } = ctx.reads;
  const now = ctx.now();
  // A connection that starts after this moment waits for the next reading.
  const asked = inboxes.map((inbox) => ({ inbox, starting: withState(inbox, "starting") }));
  const states = await readInboxes(
    db,
    asked.map(({ inbox, starting }) => toQuestion(inbox, starting, now)),
    now,
  );
  const plans: Plan[] = [];
  for (const [index, { inbox, starting }] of asked.entries()) {
    const state = states[index];
    if (state) plans.push(planFor(inbox, starting, state));
    else onGone(inbox);
  }
  const keys = plans.flatMap((plan) => {
    const { inbox, changes, starting } = plan;
    const missed = starting.map(({ resume }) => (isPoint(resume) ? missedBy(resume, plan.state) : []));
    const ids = [changes?.added ?? [], changes?.changed ?? [], ...missed].flatMap(newest);
    return ids.map((id) => ({ environment_id: inbox.environmentId, id }));
  });
  const items = await findInboxMessages(db, keys);
  for (const { inbox, state, live, changes, starting } of plans) {
    const readAt = timeOfReading(inbox.told, now);
    const reading = { state, readAt, items };
    const events = changes && live.length > 0 ? eventsOfChanges(inbox.told!, changes, reading) : [];
    if (events.length > 0) for (const connection of live) connection.deliver(events);
    for (const connection of starting) {
      if (connection.state !== "starting") continue;
      connection.state = "live";
      connection.deliver(eventsOfStart(connection.resume, reading));
      connection.resume = null;
    }
    inbox.told = toTold(state, readAt);
    inbox.readAtMs = performance.now();
  }
}

const withState = ({ connections }: Inbox, state: Connection["state"]): Connection[] =>
  [...connections].filter((connection) => connection.state === state);

function toQuestion(inbox: Inbox, starting: Connection[], readAt: Date) {
  const { subscriberId, environmentId, contextKeys, told } = inbox;
  const resumed = starting.flatMap(({ resume }) => (isPoint(resume) ? [resume.fromId] : [])).sort();
  return {
    subscriber_id: subscriberId,
    environment_id: environmentId,
    context_keys: contextKeys,
    from_id: windowStart(told ?? { readAt }),
    changed_since: told && changedSince(told),
    resume_id: resumed[0] ?? null,
  };
}

const planFor = (inbox: Inbox, starting: Connection[], state: InboxState): Plan => ({
  inbox,
  state,
  live: withState(inbox, "live"),
  changes: inbox.told && compare(inbox.told, state),
  starting,
});

const isPoint = (resume: Connection["resume"]): resume is ResumePoint => resume !== null && resume !== "lost";
