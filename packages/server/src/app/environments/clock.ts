// The clock of an environment, for callers: what time it is, and for `dev` environments a test clock that they set and
// move. pipeline/clock/move-clock.ts walks it; here its target is written down.
import type { EnvironmentClock, Input, Output } from "@tidings/contract";
import { type AlternateSuccess, alternateSuccess, type Pending, pending } from "../../answer.ts";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { type Clock, readClock, realClock } from "../../pipeline/clock/clock.ts";
import { addTime, readTime } from "../../pipeline/rules/waits.ts";
import { type ClockState, findClock, lockClock, setClock } from "../../store/environments/clocks.ts";
import { requireOwn } from "./environments.ts";

/** The clock of the caller's environment. Production has none but the real one and pays nothing for the question. */
export const environmentClock = async (ctx: Ctx, caller: Caller): Promise<Clock> =>
  caller.environmentType === "dev" ? readClock(ctx, [caller.environmentId]) : realClock(ctx);

/** What time it is in the caller's environment. */
export const environmentNow = async (ctx: Ctx, caller: Caller): Promise<Date> =>
  (await environmentClock(ctx, caller)).now(caller.environmentId);

/** How long an answer waits for the clock to arrive. */
const patienceMs = 15_000;
const firstPauseMs = 5;
const longestPauseMs = 25;

/** Times that every part of the system can hold and write. */
const earliest = new Date("1970-01-01T00:00:00Z");
const latest = new Date("2999-12-31T23:59:59.999Z");

function toClock(ctx: Ctx, environmentId: string, { now, target }: ClockState): EnvironmentClock {
  if (now === null) return { environmentId, now: ctx.now().toISOString(), isTestClock: false, status: "real" };
  const standing = { environmentId, now: now.toISOString(), isTestClock: true };
  if (target === null) return { ...standing, status: "standing" };
  return { ...standing, target: target.toISOString(), status: "moving" };
}

const readState = async (ctx: Ctx, environmentId: string): Promise<EnvironmentClock> =>
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
  const given = readMove(body);
  const { id, type } = await requireOwn(ctx, caller, params.environmentId);
  if (type === "prod") throw failure("TEST_CLOCK_REFUSED", { environmentId: params.environmentId });
  const before = (await lockClock(ctx.db, id))!;
  const after = given === null ? { now: null, target: null } : moved(before, given, ctx.now());
  await setClock(ctx.db, id, after);
  // Also without a way to go: tasks change their place when an environment comes on a clock, or leaves it.
  await ctx.queue.enqueue(ctx.db, "clock", [{ data: { environmentId: id } }]);
  const answer = toClock(ctx, id, after);
  return answer.status === "moving" ? pending(alternateSuccess(answer), (later) => arrival(later, id)) : answer;
}

type Move = (from: Date) => Date;

/** Null: off the clock. */
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

/** Where the clock stands and goes after the request. */
function moved({ now, target }: ClockState, move: Move, real: Date): ClockState {
  const asked = move(target ?? now ?? real);
  // A new clock may begin in the past. If it begins later than now, what waits until then happens on the way.
  if (now === null) return asked > real ? { now: real, target: asked } : { now: asked, target: null };
  const reached = target ?? now;
  if (asked < reached) {
    throw failure("TEST_CLOCK_BACKWARDS", { now: reached.toISOString(), asked: asked.toISOString() });
  }
  return { now, target: asked };
}

/** Waits for the clock to arrive, and answers how far it got. */
async function arrival(
  ctx: Ctx,
  environmentId: string,
): Promise<EnvironmentClock | AlternateSuccess<EnvironmentClock>> {
  const end = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const state = await readState(ctx, environmentId);
    if (state.status !== "moving") return state;
    if (performance.now() > end) return alternateSuccess(state);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
