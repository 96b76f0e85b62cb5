// Limits per second, kept by all processes together: a batch reserves the calls it may make within the next second, and each
// call waits for its own moment. What gets none goes back to the queue.

import type { Db } from "../../store/db.ts";
import { reserveCalls } from "../../store/installation/budgets.ts";
import type { Boarding, Place } from "./lanes.ts";
import { horizonMs, sliceMs } from "./pacing.ts";
import type { Send } from "./plan.ts";

/** A message that has a place, through an integration with a limit. */
export type Paced = { send: Send; place: Place; perSecond: number };

/** With `startAt` (ms), when the call is to be made; otherwise when the message is to ask again. */
export type PacedSend = { send: Send } & (
  | { startAt: number; until?: undefined }
  | { startAt?: undefined; until: number }
);

const nameOf = ({ lane }: Place): string => `calls ${lane}`;

export async function pace(tx: Db, paced: Paced[], boarding: Boarding, now: number): Promise<PacedSend[]> {
  const byName = Map.groupBy(paced, ({ place }) => nameOf(place));
  const wanted = [...byName].map(([name, own]) => ({
    name,
    gapMs: 1_000 / own[0]!.perSecond,
    wanted: own.length,
  }));
  const granted = await reserveCalls(tx, wanted, { horizonMs, sliceMs });
  // Moments are counted from the clock of this process: those of others and of the database may differ.
  const from = Date.now();
  return granted.flatMap(({ name, granted: calls, offsetMs }) =>
    byName.get(name)!.map(({ send, place, perSecond }, index): PacedSend => {
      if (index < calls) return { send, startAt: from + offsetMs + (index * 1_000) / perSecond };
      return { send, until: boarding.postpone(place, perSecond, now) };
    }),
  );
}
