// Faults of the clock of one process. PostgreSQL's clock stays: by it tasks become due, so there is none to compare
// with.
import type { Member } from "../stage/stage.ts";
import { type Begun, type Fault, type FaultContext, memberOf, requireNo } from "./fault.ts";

const askMs = 5_000;
/** Between what is asked for and what the process says. */
const toleranceSeconds = 5;

function moveClock(context: FaultContext, sign: 1 | -1): Begun {
  const member = memberOf(context);
  requireNo(member.clock.problem);
  const offset = sign * context.random.integer(30, 120);
  member.clock.set(offset);
  let seen: number | null = null;
  return {
    async end() {
      seen = await readOffset(member).catch(() => null);
      member.clock.set(0);
      if (seen !== null && Math.abs(seen - offset) > toleranceSeconds)
        throw new Error(`the clock was to be ${offset} s off, and was ${Math.round(seen)} s off`);
    },
    detail: () => `${offset} s, ${seen === null ? "not seen, as it did not respond" : "seen in its responses"}`,
  };
}

/** By the date in its responses. */
async function readOffset({ process }: Member): Promise<number> {
  const response = await fetch(`${process.url}/health`, { signal: AbortSignal.timeout(askMs) });
  await response.arrayBuffer();
  return (Date.parse(response.headers.get("date") ?? "") - Date.now()) / 1_000;
}

export const clockBack: Fault = {
  about: "the clock of one process goes back by 30 to 120 s while it runs, and then forward again",
  begin: (context) => moveClock(context, -1),
};

export const clockForward: Fault = {
  about: "the clock of one process goes forward by 30 to 120 s while it runs, and then back again",
  begin: (context) => moveClock(context, 1),
};
