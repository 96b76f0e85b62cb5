// From a seed to a scenario: which events for whom and when, which of them are canceled, and what goes wrong meanwhile.
import { createRandom } from "@tidings/testkit/load/random";
import { type FaultRates, noFaults } from "./faults.ts";
import { type WorkflowName, waitingNames, workflowNames } from "./workflows.ts";
import type { ProviderRates } from "./world/network.ts";

export type PlannedEvent = { n: number; workflow: WorkflowName; to: string[]; key: number };

/** One request with its events. `cancelAfterMs`: when its first event is canceled, counted from the response. */
export type PlannedRequest = { at: number; events: PlannedEvent[]; cancelAfterMs: number | null };

/** A signal, which waits may be for. */
export type PlannedSignal = { at: number; to: string[]; key: number };

export type Scenario = {
  seed: number;
  processes: number;
  requests: PlannedRequest[];
  signals: PlannedSignal[];
  faults: FaultRates;
  providers: ProviderRates;
  /** Nothing goes wrong after this time, in ms. */
  faultsEndMs: number;
};

const people = ["ann", "bob", "cem"];
const sending: readonly WorkflowName[] = ["mail", "careful", "later", "keyed"];

/** `isCalm`: nothing goes wrong. */
export function planScenario(seed: number, { isCalm = false } = {}): Scenario {
  const random = createRandom(seed);
  const often = (rates: number[]) => (isCalm ? 0 : random.pick(rates));
  let n = 0;
  // A few workflows in a scenario meet each other more often than many.
  const chosen = Array.from({ length: 1 + random.below(3) }, () =>
    random.pick(random.chance(0.5) ? sending : workflowNames),
  );
  const span = random.pick([200, 5_000, 60_000]);
  const requests = Array.from({ length: 2 + random.below(6) }, (): PlannedRequest => {
    const events = Array.from({ length: random.pick([1, 1, 2, 4]) }, (): PlannedEvent => {
      const to = people.filter(() => random.chance(0.5));
      return {
        n: n++,
        workflow: random.pick(chosen),
        to: to.length > 0 ? to : [people[0]!],
        key: random.below(2),
      };
    });
    const cancelAfterMs = random.chance(0.3) ? random.below(random.pick([50, 3_000, 40_000])) : null;
    return { at: random.below(span), events, cancelAfterMs };
  });
  const { requests: waiting, signals } = seed % 3 === 1 ? planWaits(seed, { n, span }) : { requests: [], signals: [] };
  return {
    seed,
    processes: 1 + random.below(3),
    requests: [...requests, ...waiting].sort((a, b) => a.at - b.at),
    signals,
    faults: isCalm
      ? noFaults
      : {
          lost: often([0, 0, 0.01, 0.04]),
          killed: often([0, 0, 0.003, 0.015]),
          frozen: often([0, 0, 0.003, 0.015]),
          slow: often([0, 0, 0.003, 0.02]),
        },
    providers: {
      refused: often([0, 0.2, 0.6]),
      dropped: often([0, 0.1, 0.4]),
      hanging: often([0, 0, 0.3]),
      late: often([0, 0.1, 0.5]),
    },
    faultsEndMs: random.pick([20_000, 120_000]),
  };
}

/**
 * Waits and the signals for them, in a third of the seeds, from a separate source of chance: the other scenarios are
 * what they were without them.
 */
function planWaits(seed: number, { n, span }: { n: number; span: number }): Pick<Scenario, "requests" | "signals"> {
  const random = createRandom(seed ^ 0x516a);
  const to = () => random.pick([["ann"], ["bob"], people]);
  const requests = Array.from({ length: 1 + random.below(3) }, (_, index): PlannedRequest => {
    const events = [{ n: n + index, workflow: random.pick(waitingNames), to: to(), key: random.below(2) }];
    const cancelAfterMs = random.chance(0.2) ? random.below(30_000) : null;
    return { at: random.below(span), events, cancelAfterMs };
  });
  const signals = Array.from({ length: 1 + random.below(4) }, (): PlannedSignal => {
    const request = random.pick(requests);
    // Around the beginning of a wait, around its end, and anywhere.
    const at = request.at + random.pick([random.below(200), 19_900 + random.below(300), random.below(25_000)]);
    return { at, to: to(), key: random.below(2) };
  });
  return { requests, signals };
}
