// Faults of the clock of one process. PostgreSQL's clock stays: by it tasks become due, so there is none to compare with.
import { type Fault, type FaultContext, memberOf, requireNo } from "./fault.ts";

function moveClock(context: FaultContext, sign: 1 | -1) {
  const { clock } = memberOf(context);
  requireNo(clock.problem);
  const offset = sign * context.random.integer(30, 120);
  clock.set(offset);
  return { end: () => clock.set(0), detail: () => `${offset} s` };
}

export const clockBack: Fault = {
  about: "the clock of one process goes back by 30 to 120 s while it runs, and then forward again",
  begin: (context) => moveClock(context, -1),
};

export const clockForward: Fault = {
  about: "the clock of one process goes forward by 30 to 120 s while it runs, and then back again",
  begin: (context) => moveClock(context, 1),
};
