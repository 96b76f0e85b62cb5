// The clock of an environment: real time, or in `dev` environments a test clock that callers set and move. A request
// only stores the target; pipeline/clock/move-clock.ts moves the clock there.
import { setTimeout as sleep } from "node:timers/promises";
import type { EnvironmentClock, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { type Clock, peekClock, readClock, realClock } from "../../pipeline/clock/clock.ts";
import { addTime, readTime } from "../../pipeline/rules/waits.ts";
import { type AlternateSuccess, alternateSuccess, type Pending, pending } from "../../response.ts";
import { type ClockState, findClock, lockClock, setClock } from "../../store/environments/clocks.ts";
import { requireOwn } from "./environments.ts";

/** The clock of the caller's environment. Production is always in real time, so its clock needs no query. */
export const environmentClock = async (ctx: Ctx, caller: Caller): Promise<Clock> =>
  caller.environmentType === "dev" ? readClock(ctx, [caller.environmentId]) : realClock(ctx);

/** The current time of the caller's environment. */
export const environmentNow = async (ctx: Ctx, caller: Caller): Promise<Date> =>
  (await environmentClock(ctx, caller)).now(caller.environmentId);

/** The same without a lock on a test clock, which a replica refuses. */
export async function peekNow(ctx: Ctx, { environmentId, environmentType }: Caller): Promise<Date> {
  const clock = environmentType === "dev" ? await peekClock(ctx, environmentId) : realClock(ctx);
  return clock.now(environmentId);
}

/** How long a request waits for the clock to arrive before it reports that the clock is moving. */
const maxWaitMs = 15_000;
const firstPollMs = 5;
const maxPollMs = 25;

/** The range of times that a test clock may have. */
const earliest = new Date("1970-01-01T00:00:00Z");
const latest = new Date("2999-12-31T23:59:59.999Z");

function toClock(ctx: Ctx, environmentId: string, { now, target }: ClockState): EnvironmentClock {
  if (now === null) return { environmentId, now: ctx.now().toISOString(), isTestClock: false, status: "real" };
  const clock = { environmentId, now: now.toISOString(), isTestClock: true };
  if (target === null) return { ...clock, status: "standing" };
  return { ...clock, target: target.toISOString(), status: "moving" };
}

export const readState = async (ctx: Ctx, environmentId: string): Promise<EnvironmentClock> =>
  toClock(ctx, environmentId, (await findClock(ctx.db, environmentId))!);

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environments.retrieveClock">,
): Promise<Output<"environments.retrieveClock">> {
  const row = await requireOwn(ctx, caller, params.environmentId);
  return readState(ctx, row.id);
}

type Body = Input<"environments.updateClock">["body"];

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.updateClock">,
): Promise<EnvironmentClock | Pending<EnvironmentClock>> {
  const move = readMove(body);
  const { id, type } = await requireOwn(ctx, caller, params.environmentId);
  if (type === "prod") throw failure("TEST_CLOCK_REFUSED", { environmentId: params.environmentId });
  const before = (await lockClock(ctx.db, id))!;
  const after = move === null ? { now: null, target: null } : moveClock(before, move, ctx.now());
  await setClock(ctx.db, id, after);
  // Even when the clock does not move: tasks change between the queue and the clock when an environment gets or loses a
  // test clock.
  await ctx.queue.enqueue(ctx.db, "clock", [{ data: { environmentId: id } }]);
  const answer = toClock(ctx, id, after);
  return answer.status === "moving" ? pending(alternateSuccess(answer), (later) => waitForArrival(later, id)) : answer;
}

/** From the current time of the clock, or the time it is moving to, to where it should go. */
type Move = (from: Date) => Date;

/** Null: back to real time. */
function readMove({ now, advance }: Body): Move | null {
  if ((now === undefined) === (advance === undefined)) {
    throw invalid({ general: { messages: ["Give either now or advance"] } });
  }
  if (now === null) return null;
  if (advance) return (from) => inRange("advance", addTime(from, advance.amount, advance.unit), advance);
  const time = readTime(now!);
  if (!time)
    throw invalid({ now: { messages: ["now must be an ISO time, such as 2026-01-31T09:00:00Z"], value: now } });
  const target = inRange("now", time, now);
  return () => target;
}

function inRange(field: string, time: Date, value: unknown): Date {
  if (time >= earliest && time <= latest) return time;
  const range = `${earliest.toISOString().slice(0, 10)} and ${latest.toISOString().slice(0, 10)}`;
  throw invalid({ [field]: { messages: [`${field} must lead to a time between ${range}`], value } });
}

/** The state of the clock after the request. */
function moveClock({ now, target }: ClockState, move: Move, real: Date): ClockState {
  const asked = move(target ?? now ?? real);
  // A new test clock may start in the past. One in the future starts now and moves, so that tasks due until then run.
  if (now === null) return asked > real ? { now: real, target: asked } : { now: asked, target: null };
  const reached = target ?? now;
  if (asked < reached) {
    throw failure("TEST_CLOCK_BACKWARDS", { now: reached.toISOString(), asked: asked.toISOString() });
  }
  return { now, target: asked };
}

/** Polls until the clock has arrived, or the wait is over. */
async function waitForArrival(
  ctx: Ctx,
  environmentId: string,
): Promise<EnvironmentClock | AlternateSuccess<EnvironmentClock>> {
  const end = performance.now() + maxWaitMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, pollMs * 2)) {
    const state = await readState(ctx, environmentId);
    if (state.status !== "moving") return state;
    if (performance.now() > end) return alternateSuccess(state);
    await sleep(pollMs);
  }
}
