// The globals that simulated processes read the time, timers and chance from.
import { running, type Timer } from "./schedule.ts";
import { hasWorld, world } from "./world.ts";

type Callback = (...args: unknown[]) => void;

/** Replaces them for this process; code outside of simulated processes keeps the real ones. */
export function replaceGlobals(): void {
  const real = { setTimeout, clearTimeout, now: Date.now, performanceNow: performance.now.bind(performance) };
  const { random } = Math;
  const setSimulated = (callback: Callback, ms = 0, ...args: unknown[]) => {
    const process = running.getStore();
    if (!process) return real.setTimeout(callback, ms, ...args);
    const timer = world().schedule.after(ms, process, () => callback(...args));
    return { ...timer, unref: () => {}, ref: () => {} };
  };
  const clearSimulated = (timer: Timer | NodeJS.Timeout | undefined) => {
    if (timer && "cancel" in timer) timer.cancel();
    else real.clearTimeout(timer);
  };
  globalThis.setTimeout = setSimulated as unknown as typeof setTimeout;
  globalThis.clearTimeout = clearSimulated as typeof clearTimeout;
  Date.now = () => (hasWorld() ? Math.floor(world().schedule.now()) : real.now());
  performance.now = () => (hasWorld() ? world().schedule.now() : real.performanceNow());
  Math.random = () => (hasWorld() ? world().random.below(2 ** 30) / 2 ** 30 : random());
}
