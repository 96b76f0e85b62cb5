// `tidings clock`: the test clock of an environment. A move ends when the clock has stopped and everything that was due
// has run.
import type { CallInput, EnvironmentClock } from "@tidings/contract";
import { readAction, refuseMoreArguments, requireArgument } from "../../arguments.ts";
import { moveClock } from "../../clock-moves.ts";
import type { Call, Command } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";
import { parseDuration } from "../../time.ts";

const actions = ["show", "set", "advance", "off"] as const;
const help = "tidings clock --help";

export const clock: Command = {
  usage: "show|set <time>|advance <duration>|off",
  about:
    "In a `dev` environment with a test clock, time is paused until you move the clock. Everything that becomes due then runs, each at\n" +
    "its own time. Durations are 90s, 30m, 2h, 3d, 1w, 1mo, and sums such as 1d2h.",
  example: "tidings clock set 2026-03-02T09:00:00Z\ntidings clock advance 3d",
  actions,
  run: async (call) => {
    const action = readAction(call, actions, help);
    refuseMoreArguments(call, action === "set" || action === "advance" ? 2 : 1, help);
    const session = await call.session();
    if (action === "show") {
      const params = { environmentId: session.environment._id };
      return print(call, await session.tidings.environments.retrieveClock({ params }));
    }
    print(call, await moveClock(session, readMove(call, action), call.io.signal));
  },
};

function readMove(call: Call, action: "set" | "advance" | "off"): CallInput<"environments.updateClock">["body"] {
  if (action === "off") return { now: null };
  if (action === "set") {
    const time = requireArgument(call, 1, "The time", help);
    if (Number.isNaN(Date.parse(time))) throw wrongUsage(`"${time}" is not a time such as 2026-03-02T09:00:00Z.`, help);
    return { now: new Date(time).toISOString() };
  }
  const given = requireArgument(call, 1, "The duration", help);
  const months = /^\+?(\d+)mo$/.exec(given);
  if (months) return { advance: { amount: Number(months[1]), unit: "months" } };
  const ms = parseDuration(given);
  if (ms === null || ms < 1_000 || ms % 1_000 !== 0)
    throw wrongUsage(`"${given}" is not a duration in whole seconds such as 30m, 1d2h or 1mo.`, help);
  return { advance: { amount: ms / 1_000, unit: "seconds" } };
}

function print({ out }: Call, state: EnvironmentClock): void {
  const { now, status, target } = state;
  const words = { real: "real time", standing: "test clock, standing", moving: `test clock, moving to ${target}` };
  out.line(`${out.style("bold", now)} (${words[status]})`);
  out.json(state);
}
