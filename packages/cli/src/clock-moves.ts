// Moves the test clock of an environment and waits until it has stopped.
import type { CallInput, EnvironmentClock } from "@tidings/contract";
import { CliError } from "./failure.ts";
import type { Session } from "./session.ts";
import { pollUntil } from "./time.ts";

/** A move that takes longer than this is given up: ten minutes are years of a busy environment. */
const maxMoveMs = 600_000;

export async function moveClock(
  { tidings, environment }: Pick<Session, "tidings" | "environment">,
  body: CallInput<"environments.updateClock">["body"],
  signal: AbortSignal,
): Promise<EnvironmentClock> {
  const params = { environmentId: environment._id };
  const answer = await tidings.environments.updateClock({ params, body, signal });
  if (answer.status !== "moving") return answer;
  const arrived = await pollUntil(
    async () => {
      const clock = await tidings.environments.retrieveClock({ params, signal });
      return clock.status === "moving" ? null : clock;
    },
    { withinMs: maxMoveMs, everyMs: 200, signal },
  );
  if (!arrived) throw new CliError("The clock is still moving after ten minutes.", { fix: "tidings clock show" });
  return arrived;
}
