// Places for calls that are under way in this process: a window for all, and a lane in it for each integration, so that
// one whose provider hangs leaves room for the others. The rules are in rules/pacing.ts.
import { type Admission, admit, type Lane, leave, newLane, placesIn } from "../rules/pacing.ts";

export type Lanes = ReturnType<typeof createLanes>;
export type Boarding = ReturnType<Lanes["board"]>;

type Request = { perSecond: number | undefined; isProbe: boolean; now: number; bookedAt?: number };

/** Lanes that nobody has used lately are forgotten beyond this number. */
const maxLanes = 10_000;
/** A worker waits this long for room in the lanes it has just filled; slower ones have to be left behind. */
const patienceMs = 250;

export function createLanes(window: number) {
  const perLane = Math.max(1, Math.floor(window / 4));
  const lanes = new Map<string, Lane>();
  let total = 0;
  const waiting: (() => void)[] = [];

  const laneOf = (integrationId: string): Lane => {
    const lane = lanes.get(integrationId) ?? newLane();
    if (lanes.size >= maxLanes && !lanes.has(integrationId)) forgetIdle();
    lanes.set(integrationId, lane);
    return lane;
  };
  const forgetIdle = () => {
    for (const [id, lane] of lanes) if (lane.inFlight === 0) lanes.delete(id);
  };
  const changed = (limitMs?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  const left = (integrationId: string, tookMs: number): void => {
    total--;
    leave(laneOf(integrationId), tookMs);
    for (const wake of waiting.splice(0)) wake();
  };

  return {
    /** Places taken for a batch, until its attempts are written down for good. */
    board() {
      const taken: string[] = [];
      return {
        /** `isProbe` passes whatever the limits: a probe that was claimed has to be sent. */
        enter(integrationId: string, request: Request): Admission {
          const { perSecond, isProbe, now, bookedAt } = request;
          // Several workers may fill the window at the same moment.
          if (total >= window && !isProbe) return { kind: "wait", until: now + patienceMs, isBooked: false };
          const lane = laneOf(integrationId);
          const inFlight = isProbe ? Number.POSITIVE_INFINITY : placesIn(lane, perLane);
          const admission = admit(lane, isProbe ? { inFlight } : { inFlight, perSecond }, now, bookedAt);
          if (admission.kind === "go") {
            taken.push(integrationId);
            total++;
          }
          return admission;
        },
        giveBack(): void {
          for (const integrationId of taken.splice(0)) left(integrationId, laneOf(integrationId).averageMs);
        },
      };
    },
    /** A call has ended. */
    left,
    /** Resolves when there is room for another batch: in the window, and if that does not take long, in these lanes. */
    async room(batch: number, integrationIds: Iterable<string>): Promise<void> {
      const impatientAt = performance.now() + patienceMs;
      const mine = [...new Set(integrationIds)];
      const isCrowded = (id: string) => laneOf(id).inFlight > Math.max(0, placesIn(laneOf(id), perLane) - batch);
      while (mine.some(isCrowded) && performance.now() < impatientAt) await changed(patienceMs);
      while (total > Math.max(0, window - batch)) await changed();
    },
  };
}
