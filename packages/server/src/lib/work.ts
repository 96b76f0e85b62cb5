// A budget of work for what customers write: templates, conditions, payload schemas, html. Evaluation is synchronous, so
// whatever it takes, the whole process waits; every evaluator therefore charges what it is about to do, and stops when
// the budget is used up. docs/decisions/0009-bounded-evaluation.md says why work is counted and how much a unit is.
//
// The budget is a value of this module instead of an argument: one step of one run renders dozens of templates through
// several layers, all of them share one budget, and because evaluation never waits, two steps cannot meet here.

/** A unit is about 10 ns on an idle core, so a budget is about 50 ms. */
export const workPerStep = 5_000_000;

/** How much is charged between two looks at the clock. */
const unitsPerLook = workPerStep / 8;

/** Processor time, so that a process that has to wait for its turn on a busy machine fails nothing. */
const longestMs = 500;

export class OverBudget extends Error {
  constructor() {
    super("it takes more work than one step may cause");
  }
}

type Budget = { left: number; nextLook: number; cpuAtFirstLook: number | null };

let current: Budget | null = null;

/** Runs `work` within one budget. Inside another budget, that one goes on counting. */
export function withinBudget<T>(work: () => T): T {
  if (current) return work();
  current = { left: workPerStep, nextLook: workPerStep - unitsPerLook, cpuAtFirstLook: null };
  try {
    return work();
  } finally {
    current = null;
  }
}

/** Takes units off the budget. Call it before the work, so that the work is not done when there is too much of it. */
export function charge(units: number): void {
  if (!current) return;
  // A count that is not a number must not make the budget endless.
  current.left -= units >= 0 ? units : 0;
  if (current.left < 0) throw new OverBudget();
  if (current.left < current.nextLook) lookAtClock(current);
}

/** The second guard, for work that costs more than its charge: on a slow machine, or through a mistake in a charge. */
function lookAtClock(budget: Budget): void {
  budget.nextLook = budget.left - unitsPerLook;
  const { user, system } = process.threadCpuUsage();
  const ms = (user + system) / 1_000;
  budget.cpuAtFirstLook ??= ms;
  if (ms - budget.cpuAtFirstLook <= longestMs) return;
  budget.left = -1;
  throw new OverBudget();
}

/**
 * Charges a value by its size: the characters of its texts at this rate, and the items of its lists. Lists inside lists
 * count each time they come up: a short template can put a list into itself until it has more items than there is memory,
 * and whatever writes such a list out visits all of them.
 */
export function chargeSize(value: unknown, perCharacter: number, perItem: number): void {
  if (perCharacter === 0 && perItem === 0) return;
  if (typeof value === "string") charge(value.length * perCharacter);
  else if (Array.isArray(value)) {
    charge(value.length * perItem);
    for (const item of value) chargeSize(item, perCharacter, perItem);
  }
}
