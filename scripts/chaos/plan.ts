// Which faults a run makes, when, for how long and where: a pure function of the seed and the options.
import { createRandom, type Random } from "@tidings/testkit/load/random";
import type { FaultKind, PlannedFault } from "../auditor/evidence.ts";

export type PlanOptions = {
  seed: number;
  /** How long the load runs. */
  seconds: number;
  /** Only these; all by default. */
  only?: readonly FaultKind[];
  /** None of these. */
  except?: readonly FaultKind[];
};

/** What a fault concerns. Two faults of one family are never in effect at once. */
type Family = "process" | "clock" | "network" | "database" | "provider";

type Shape = {
  family: Family;
  targets: readonly string[];
  /** Seconds from the beginning to the end, in a short run and in a long one. */
  short: readonly [number, number];
  long: readonly [number, number];
  /** Seconds that the stage needs afterwards before the next fault. */
  recovery: number;
};

export const processNames = ["process-1", "process-2"] as const;
const oneProcess = processNames;
const network = [...processNames, "all processes"];
const primary = ["primary"];
const providers = ["smtp", "sms"];

const shapes: Record<FaultKind, Shape> = {
  "kill-process": { family: "process", targets: oneProcess, short: [1, 6], long: [1, 10], recovery: 10 },
  "stop-process": { family: "process", targets: oneProcess, short: [5, 15], long: [5, 40], recovery: 8 },
  "stop-thread": { family: "process", targets: oneProcess, short: [5, 15], long: [5, 40], recovery: 8 },
  "kill-database": { family: "database", targets: primary, short: [1, 6], long: [1, 10], recovery: 10 },
  "restart-database": { family: "database", targets: primary, short: [2, 6], long: [2, 10], recovery: 10 },
  "kill-backend": { family: "database", targets: primary, short: [1, 1], long: [1, 1], recovery: 8 },
  failover: { family: "database", targets: primary, short: [3, 5], long: [3, 8], recovery: 25 },
  "cut-network": { family: "network", targets: network, short: [5, 15], long: [5, 40], recovery: 8 },
  "refuse-network": { family: "network", targets: network, short: [5, 15], long: [5, 40], recovery: 8 },
  "slow-network": { family: "network", targets: network, short: [8, 15], long: [10, 40], recovery: 8 },
  "disk-full": { family: "database", targets: primary, short: [8, 15], long: [10, 30], recovery: 12 },
  "clock-back": { family: "clock", targets: oneProcess, short: [10, 20], long: [20, 60], recovery: 8 },
  "clock-forward": { family: "clock", targets: oneProcess, short: [10, 20], long: [20, 60], recovery: 8 },
  connections: { family: "database", targets: primary, short: [5, 12], long: [5, 30], recovery: 8 },
  "lock-tables": { family: "database", targets: primary, short: [5, 12], long: [5, 30], recovery: 8 },
  upgrade: { family: "process", targets: ["all processes"], short: [20, 30], long: [30, 60], recovery: 70 },
  "provider-fails": { family: "provider", targets: providers, short: [8, 15], long: [10, 60], recovery: 5 },
  "provider-hangs": { family: "provider", targets: providers, short: [8, 15], long: [10, 60], recovery: 5 },
  "provider-loses-answers": { family: "provider", targets: providers, short: [8, 15], long: [10, 40], recovery: 5 },
};

export const faultKinds = Object.keys(shapes) as FaultKind[];

/** The embedded PostgreSQL has neither a standby nor its own disk, and is started again as soon as it ends. */
export const notEmbedded: FaultKind[] = ["kill-database", "restart-database", "failover", "disk-full"];

/** From here on, faults are long, and the earlier release, which takes minutes, is tried. */
const longSeconds = 15 * 60;
/** Below this, faults are half as long and follow each other closely, so that the run of a test has several. */
const briefSeconds = 60;
const lateSeconds = 60;
/** There, the recovery that is allowed for 10 s at most is this long. A standby and a disk take their time. */
const briefRecovery = { upTo: 10, seconds: 3 };
/** The part of the steps that has two faults. A short run has no time for each fault alone. */
const togetherPart = { short: 0.5, long: 0.25 };
/** The load without a fault, at the beginning and at the end. */
export const calmSeconds = (seconds: number) => ({
  first: Math.min(10, seconds * 0.1),
  last: Math.min(60, seconds * 0.2),
});

/** Up to when faults may last. In a brief run they may all be late, and the load waits for them. */
export const lastSecond = (seconds: number): number =>
  seconds < briefSeconds ? seconds + lateSeconds : seconds - calmSeconds(seconds).last / 2;

/** Whether two faults may be in effect at once. */
export function areCompatible(one: Placed, other: Placed): boolean {
  const [a, b] = [shapes[one.fault].family, shapes[other.fault].family];
  if (a === b) return a === "provider" && one.target !== other.target;
  if (one.fault === "upgrade") return canOverlapUpgrade(other);
  if (other.fault === "upgrade") return canOverlapUpgrade(one);
  return !stopsAll(one, other) && !stopsAll(other, one);
}

type Placed = Pick<PlannedFault, "fault" | "target">;

/** Processes start and stop meanwhile, for which they need the database. */
const canOverlapUpgrade = ({ fault }: Placed) => shapes[fault].family === "provider" || fault === "slow-network";

/** One process is stopped, and all others have no database. */
const stopsAll = (process: Placed, network: Placed): boolean =>
  shapes[process.fault].family === "process" &&
  (network.fault === "cut-network" || network.fault === "refuse-network") &&
  network.target !== process.target;

export function makePlan({ seed, seconds, only, except = [] }: PlanOptions): PlannedFault[] {
  const random = createRandom(seed);
  const isLong = seconds >= longSeconds;
  const isBrief = seconds < briefSeconds;
  const isWanted = (kind: FaultKind) => !except.includes(kind) && (isLong || only || kind !== "upgrade");
  const kinds = (only ?? faultKinds).filter(isWanted);
  const calm = calmSeconds(seconds);
  const end = seconds - calm.last;
  const plan: PlannedFault[] = [];
  const recoveryOf = (kind: FaultKind) => {
    const { recovery } = shapes[kind];
    return isBrief && recovery <= briefRecovery.upTo ? briefRecovery.seconds : recovery;
  };
  const lengthOf = (kind: FaultKind): Length => {
    const { short, long } = shapes[kind];
    return isLong ? long : isBrief ? [Math.ceil(short[0] / 2), short[0]] : short;
  };
  const endOf = ({ fault, startSeconds, seconds: held }: PlannedFault) => startSeconds + held + recoveryOf(fault);
  const add = (planned: PlannedFault) => {
    plan.push(planned);
    return endOf(planned);
  };
  // Each kind once, as far as there is time; then at random.
  const wanted = random.shuffle(kinds);
  const take = (isFine: (placed: PlannedFault) => boolean, startSeconds: number): PlannedFault | null => {
    const candidates = [...wanted, ...random.shuffle(kinds)];
    for (const kind of candidates) {
      const planned = place(kind, startSeconds, lengthOf(kind), random);
      if (endOf(planned) > end || !isFine(planned)) continue;
      const at = wanted.indexOf(kind);
      if (at >= 0) wanted.splice(at, 1);
      return planned;
    }
    return null;
  };
  for (let at = calm.first; ; ) {
    const first = take(() => true, round(at));
    if (!first) return plan;
    at = add(first);
    if (random.next() >= (isLong ? togetherPart.long : togetherPart.short)) continue;
    const startSeconds = round(first.startSeconds + random.next() * 0.7 * first.seconds);
    const second = take((placed) => areCompatible(first, placed), startSeconds);
    if (second) at = Math.max(at, add(second));
  }
}

type Length = readonly [least: number, most: number];

function place(fault: FaultKind, startSeconds: number, length: Length, random: Random): PlannedFault {
  return { fault, startSeconds, seconds: random.integer(...length), target: random.pick(shapes[fault].targets) };
}

const round = (seconds: number) => Math.round(seconds * 10) / 10;
