// `node:timers/promises` of the simulated processes.
import { running } from "./schedule.ts";
import { world } from "./world.ts";

const wait = async <T>(ms = 0, value?: T): Promise<T> => {
  await world().schedule.wait(ms, running.getStore() ?? null);
  return value as T;
};

export { wait as setTimeout };

export const setImmediate = <T>(value?: T): Promise<T> => wait(0, value);
