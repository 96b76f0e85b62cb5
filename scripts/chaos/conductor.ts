// Makes the faults of a plan at their times, one or several at once, and records each.
import { progress } from "@tidings/testkit/load/progress";
import { createRandom } from "@tidings/testkit/load/random";
import { sleep, within } from "@tidings/testkit/programs/limits";
import type { FaultRecord, PlannedFault } from "../auditor/evidence.ts";
import { faults } from "./faults/all.ts";
import type { Begun } from "./faults/fault.ts";
import type { ChaosLoad, EvidenceWriter } from "./parts.ts";
import { areCompatible } from "./plan.ts";
import type { ChaosStage } from "./stage/stage.ts";

/** To begin, to end, and to repair: an upgrade replaces two processes in each. */
const stepMs = 300_000;
/** After a fault, until PostgreSQL, its standby and all processes are as before. */
const wholeMs = 120_000;
/** A fault that comes too late by more than this is left out: the end of the load stays calm. */
const maxDelaySeconds = 30;

export type Conductor = {
  inEffect(): string[];
  records: FaultRecord[];
  /** Resolves when the last fault is over and the stage is whole again. */
  run(): Promise<void>;
};

type ConductorOptions = {
  seed: number;
  plan: PlannedFault[];
  /** Up to when faults may last, in seconds since the start of the load. */
  lastSecond: number;
  stage: ChaosStage;
  load: Pick<ChaosLoad, "setMood">;
  evidence: Pick<EvidenceWriter, "fault">;
};

export function createConductor({ seed, plan, lastSecond, stage, load, evidence }: ConductorOptions): Conductor {
  const current = new Set<PlannedFault>();
  const records: FaultRecord[] = [];
  const begunAt = { ms: 0 };
  const now = () => (performance.now() - begunAt.ms) / 1_000;

  function record(one: FaultRecord): void {
    records.push(one);
    evidence.fault(one);
    if (one.problem) progress(`NOT DONE: ${one.fault} (${one.target}): ${one.problem}`);
  }

  /** Waits until it may begin. Returns why not, if so. */
  async function waitForTurn(planned: PlannedFault): Promise<string | null> {
    await sleep(Math.max(0, planned.startSeconds - now()) * 1_000);
    const mayBegin = () => [...current].every((other) => areCompatible(other, planned));
    while (!mayBegin()) {
      if (now() > planned.startSeconds + maxDelaySeconds) return "the faults before it took longer than planned";
      await sleep(200);
    }
    return now() + planned.seconds > lastSecond ? "no time was left" : null;
  }

  async function make(planned: PlannedFault, at: number): Promise<void> {
    const { fault, target, seconds } = planned;
    // The seed and the place in the plan decide.
    const random = createRandom(seed ^ Math.imul(at + 1, 0x9e3779b1));
    const startedAt = Date.now();
    let begun: Begun | null = null;
    const problems: string[] = [];
    const step = async (what: string, work: () => Promise<void> | void) => {
      try {
        await within(stepMs, what, Promise.resolve(work()));
      } catch (error) {
        problems.push(`${what}: ${(error as Error).message}`);
      }
    };
    progress(`${fault} (${target}) for ${seconds} s begins`);
    await step("its beginning", async () => {
      begun = await faults[fault].begin({ stage, load, target, seconds, random });
    });
    // It was set in a function.
    const { end, repair, detail } = (begun ?? {}) as Partial<Begun>;
    if (end) await sleep(seconds * 1_000);
    if (end) await step("its end", () => end());
    const endedAt = Date.now();
    if (end && repair) await step("the repair after it", () => repair());
    const details = [detail?.(), await watchRecovery(planned)].filter(Boolean).join("; ");
    record({
      ...{ fault, target, startedAt, endedAt },
      ...(details && { detail: details }),
      ...(problems.length > 0 && { problem: problems.join("; ") }),
    });
  }

  /** Not while another fault is in effect, which keeps the stage from being whole. */
  async function watchRecovery(planned: PlannedFault): Promise<string> {
    if ([...current].some((other) => other !== planned)) return "ended while another fault was in effect";
    const from = performance.now();
    const missing = await stage.waitUntilWhole(wholeMs);
    const seconds = ((performance.now() - from) / 1_000).toFixed(1);
    if (missing === null) return `whole again after ${seconds} s`;
    progress(`NOT WHOLE ${seconds} s after ${planned.fault} (${planned.target}): ${missing}`);
    return `NOT WHOLE after ${seconds} s: ${missing}`;
  }

  return {
    records,
    inEffect: () => [...current].map(({ fault, target }) => `${fault} (${target})`),
    async run() {
      begunAt.ms = performance.now();
      const running: Promise<void>[] = [];
      for (const [at, planned] of plan.entries()) {
        const problem = await waitForTurn(planned);
        if (problem) {
          const { fault, target } = planned;
          record({ fault, target, startedAt: Date.now(), endedAt: Date.now(), problem });
          continue;
        }
        current.add(planned);
        running.push(make(planned, at).finally(() => current.delete(planned)));
      }
      await Promise.all(running);
    },
  };
}
