// When to load what can wait: a menu that is loaded while the first answer is on its way delays the drawing of that answer.
import { callsSettled } from "../api/client.ts";

const longestWaitMs = 2_000;

/** Resolves when the calls that are under way are answered and drawn, after two seconds at the latest. */
export async function whenIdle(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, longestWaitMs));
  await Promise.race([late, idleMoment().then(callsSettled).then(idleMoment)]);
}

const idleMoment = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari has no idle callbacks.
    if (typeof requestIdleCallback === "undefined") setTimeout(resolve);
    else requestIdleCallback(() => resolve());
  });
