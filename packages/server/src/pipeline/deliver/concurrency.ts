// The concurrency window: the slots for calls in flight in this process. Each environment has a share of the window,
// and in it a limit for each lane (an integration or a webhook). So a provider that hangs leaves slots for the other
// integrations, and an environment whose providers all hang leaves slots for the other environments. The rules are in
// pacing.ts.
import {
  type Admission,
  type AdmissionResult,
  beginCall,
  canTakeSlot,
  endCall,
  type Load,
  newLoad,
  nextTryByRate,
  type Slot,
  type SlotRequest,
  slotsFor,
  takeSlot,
  waitForSlot,
} from "./pacing.ts";

export type ConcurrencyWindow = ReturnType<typeof createConcurrencyWindow>;

/** Above this number, loads without a call in flight are dropped from memory. */
const maxLoads = 10_000;
/** How long a worker waits for room in the lanes of its last batch, before it takes the next tasks anyway. */
const patienceMs = 250;

export function createConcurrencyWindow(size: number) {
  const perLane = Math.max(1, Math.floor(size / 4));
  const lanes = createLoadMap();
  const environments = createLoadMap();
  let inFlight = 0;
  const waiting: (() => void)[] = [];

  const slotReleased = (limitMs?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  const release = ({ environmentId, lane, priority }: Slot, tookMs: number): void => {
    inFlight--;
    endCall(lanes.get(lane), tookMs, priority);
    endCall(environments.get(environmentId), tookMs, priority);
    for (const wake of waiting.splice(0)) wake();
  };

  /** Releases a slot whose call was not made. */
  const releaseUnused = (slot: Slot): void => release(slot, lanes.get(slot.lane).averageMs);

  const admit = ({ environmentId, lane, priority }: Slot, { isProbe, now }: SlotRequest): AdmissionResult => {
    const environment = environments.get(environmentId);
    const load = lanes.get(lane);
    const asking = { priority, now };
    const free = size - inFlight;
    if (!isProbe && free <= 0) return { kind: "wait", until: now + patienceMs };
    if (!isProbe && !canTakeSlot(environment, free, priority))
      return waitForSlot(environment, environment.inFlight, asking);
    const result = takeSlot(load, isProbe ? Number.POSITIVE_INFINITY : slotsFor(load, perLane), asking);
    if (result.kind === "go") {
      beginCall(environment, priority);
      inFlight++;
    }
    return result;
  };

  return {
    openAdmission(): Admission {
      const taken: Slot[] = [];
      return {
        admit(slot, request) {
          const result = admit(slot, request);
          if (result.kind === "go") taken.push(slot);
          return result;
        },
        postpone(slot, perSecond, now) {
          taken.splice(taken.indexOf(slot), 1);
          releaseUnused(slot);
          return nextTryByRate(lanes.get(slot.lane), perSecond, { priority: slot.priority, now });
        },
        releaseAll() {
          for (const slot of taken.splice(0)) releaseUnused(slot);
        },
        loadOf: (lane) => lanes.get(lane),
      };
    },
    /** Releases the slot of a call that has ended. */
    release,
    /**
     * Resolves when the worker may take another batch: when there is room for the whole batch, in the window and in the
     * lanes of its last batch, or after `patienceMs` when any slot is free, because the next tasks may use other lanes.
     * High messages have their own slots: the lanes that only they used are not waited for.
     */
    async waitForRoom(batch: number, slots: Iterable<Slot>): Promise<void> {
      const impatientAt = performance.now() + patienceMs;
      const used = [...new Set([...slots].flatMap(({ lane, priority }) => (priority === "high" ? [] : lane)))];
      const isCrowded = (lane: string) =>
        lanes.get(lane).inFlight > Math.max(0, slotsFor(lanes.get(lane), perLane) - batch);
      const isFull = () => inFlight > Math.max(0, size - batch) || used.some(isCrowded);
      while (isFull() && performance.now() < impatientAt) await slotReleased(patienceMs);
      while (inFlight >= size) await slotReleased();
    },
  };
}

function createLoadMap() {
  const loads = new Map<string, Load>();
  return {
    get(name: string): Load {
      const known = loads.get(name);
      if (known) return known;
      if (loads.size >= maxLoads) {
        for (const [id, load] of loads) if (load.inFlight === 0) loads.delete(id);
      }
      const load = newLoad();
      loads.set(name, load);
      return load;
    },
  };
}
