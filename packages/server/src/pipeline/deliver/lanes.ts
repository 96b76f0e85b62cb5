// Places for calls that are under way in this process: a window for all, in it a share for each environment, and in that a
// lane for each integration or webhook. So a provider that hangs leaves room for the other integrations, and an environment
// whose providers all hang leaves room for the other environments. The rules are in deliver/pacing.ts.
import { type Admission, admit, askAgain, askLater, type Lane, leave, mayEnter, newLane, placesIn } from "./pacing.ts";

export type Lanes = ReturnType<typeof createLanes>;
export type Boarding = ReturnType<Lanes["board"]>;

/** Whose call it is, and through what: an integration or a webhook. */
export type Place = { environmentId: string; lane: string };

type Request = { isProbe: boolean; now: number };

/** Lanes that nobody has used lately are forgotten beyond this number. */
const maxLanes = 10_000;
/** A worker waits this long for room where it has just sent; slower calls have to be left behind. */
const patienceMs = 250;

export function createLanes(window: number) {
  const perLane = Math.max(1, Math.floor(window / 4));
  const lanes = createLaneMap();
  const environments = createLaneMap();
  let total = 0;
  const waiting: (() => void)[] = [];

  const changed = (limitMs?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  const left = ({ environmentId, lane }: Place, tookMs: number): void => {
    total--;
    leave(lanes.of(lane), tookMs);
    leave(environments.of(environmentId), tookMs);
    for (const wake of waiting.splice(0)) wake();
  };

  const enter = ({ environmentId, lane: name }: Place, request: Request): Admission => {
    const { isProbe, now } = request;
    const environment = environments.of(environmentId);
    const lane = lanes.of(name);
    const free = window - total;
    if (!isProbe && free <= 0) return { kind: "wait", until: now + patienceMs };
    if (!isProbe && !mayEnter(environment, free)) return askAgain(environment, environment.inFlight, now);
    const admission = admit(lane, isProbe ? Number.POSITIVE_INFINITY : placesIn(lane, perLane), now);
    if (admission.kind === "go") {
      environment.inFlight++;
      total++;
    }
    return admission;
  };

  return {
    /** Places taken for a batch, until its attempts are written down for good. */
    board() {
      const taken: Place[] = [];
      return {
        /** `isProbe` passes whatever the limits: a probe that was claimed has to be sent. */
        enter(place: Place, request: Request): Admission {
          const admission = enter(place, request);
          if (admission.kind === "go") taken.push(place);
          return admission;
        },
        /** Gives a place back because the rate does not allow a call yet; answers when to ask again. */
        postpone(place: Place, perSecond: number, now: number): number {
          taken.splice(taken.indexOf(place), 1);
          left(place, lanes.of(place.lane).averageMs);
          return askLater(lanes.of(place.lane), perSecond, now);
        },
        giveBack(): void {
          for (const place of taken.splice(0)) left(place, lanes.of(place.lane).averageMs);
        },
      };
    },
    /** A call has ended. */
    left,
    /**
     * Resolves when the worker may take another batch. It waits for a moment until there is room for the whole batch, in
     * the window and where it has just sent, and goes on without: what waits next in the queue may belong to others.
     */
    async room(batch: number, places: Iterable<Place>): Promise<void> {
      const impatientAt = performance.now() + patienceMs;
      const mine = [...new Set([...places].map(({ lane }) => lane))];
      const isCrowded = (name: string) =>
        lanes.of(name).inFlight > Math.max(0, placesIn(lanes.of(name), perLane) - batch);
      const isFull = () => total > Math.max(0, window - batch) || mine.some(isCrowded);
      while (isFull() && performance.now() < impatientAt) await changed(patienceMs);
      while (total >= window) await changed();
    },
  };
}

function createLaneMap() {
  const lanes = new Map<string, Lane>();
  return {
    of(name: string): Lane {
      const known = lanes.get(name);
      if (known) return known;
      if (lanes.size >= maxLanes) {
        for (const [id, lane] of lanes) if (lane.inFlight === 0) lanes.delete(id);
      }
      const lane = newLane();
      lanes.set(name, lane);
      return lane;
    },
  };
}
