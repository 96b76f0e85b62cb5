// A budget of work for templates, conditions, payload schemas and HTML, which customers write. Evaluation is
// synchronous and blocks the whole process, so every evaluator charges its work in advance and stops when the budget is
// used up. docs/decisions/0009-bounded-evaluation.md says why work is counted and how much a unit is.
//
// The budget is a variable of this module instead of an argument: one step of one run renders dozens of templates
// through several layers, which all share one budget. Evaluation is synchronous, so two steps never use the variable at
// once.

/** A unit is at most about 20 ns on a slow core, so a budget is 40 ms there, and half of it on a fast one. */
export const workPerStep = 2_000_000;

/** Units between two checks of the CPU time. */
const unitsPerCheck = workPerStep / 8;

/** CPU time and not real time, so that no evaluation fails because the machine is busy. */
const maxCpuMs = 200;

export class OverBudgetError extends Error {
  constructor() {
    super("it takes more work than one step may cause");
  }
}

type Budget = { left: number; nextCheck: number; cpuAtFirstCheck: number | null };

let current: Budget | null = null;

/** Runs `work` within one budget. Nested calls use the budget of the outer one. */
export function withinBudget<T>(work: () => T): T {
  if (current) return work();
  current = { left: workPerStep, nextCheck: workPerStep - unitsPerCheck, cpuAtFirstCheck: null };
  try {
    return work();
  } finally {
    current = null;
  }
}

/** Takes units off the budget, and throws when it is used up. To be called before the work. */
export function charge(units: number): void {
  if (!current) return;
  // NaN must not make the budget endless.
  current.left -= units >= 0 ? units : 0;
  if (current.left < 0) throw new OverBudgetError();
  if (current.left < current.nextCheck) checkCpuTime(current);
}

/** A second limit, for work that costs more than its charge: on a slow machine, or because a charge is too low. */
function checkCpuTime(budget: Budget): void {
  budget.nextCheck = budget.left - unitsPerCheck;
  const { user, system } = process.threadCpuUsage();
  const ms = (user + system) / 1_000;
  budget.cpuAtFirstCheck ??= ms;
  if (ms - budget.cpuAtFirstCheck <= maxCpuMs) return;
  budget.left = -1;
  throw new OverBudgetError();
}

/**
 * Charges a value by its size: the characters of its texts and the items of its lists. A list counts each time it
 * occurs: a short template can nest one list many times over, until writing it out would take more items than fit into
 * memory.
 */
export function chargeSize(value: unknown, perCharacter: number, perItem: number): void {
  if (perCharacter === 0 && perItem === 0) return;
  if (typeof value === "string") charge(value.length * perCharacter);
  else if (Array.isArray(value)) {
    charge(value.length * perItem);
    for (const item of value) chargeSize(item, perCharacter, perItem);
  }
}
