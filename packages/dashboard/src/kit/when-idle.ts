// When to load what can wait: loading a menu while the first response is on its way would delay drawing that response.
import { callsSettled } from "../api/client.ts";

const maxWaitMs = 2_000;

/** Resolves when the calls in progress have returned and been drawn, after two seconds at the latest. */
export async function whenIdle(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, maxWaitMs));
  await Promise.race([late, idleMoment().then(callsSettled).then(idleMoment)]);
}

const idleMoment = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari has no idle callbacks.
    if (typeof requestIdleCallback === "undefined") setTimeout(resolve);
    else requestIdleCallback(() => resolve());
  });
