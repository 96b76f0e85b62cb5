// Good inputs of one world, by operation: made once, and kept for the next part until a request has used them up.
import { type Operation, readsOnly } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { inputOf } from "./fixtures.ts";
import type { World } from "./world.ts";

/** One backtest runs at a time, an environment has few sources, and the others name all that exists. */
const perishable = /^backtests\.(create|cancel|delete)$|^(sources|files)\.|^categories\.updateOrder$/;

export function createInputs(world: World) {
  const kept = new Map<string, Promise<RawInput>>();

  /** For a request that does not change what the input names. */
  const keep = (operation: Operation): Promise<RawInput> => {
    if (perishable.test(operation.id)) return inputOf(operation, world);
    const input = kept.get(operation.id) ?? inputOf(operation, world);
    kept.set(operation.id, input);
    return input;
  };
  const forget = (operation: Operation): void => {
    if (!readsOnly(operation)) kept.delete(operation.id);
  };
  /** For a request that uses the input up, unless it only reads. */
  const take = (operation: Operation): Promise<RawInput> => {
    const input = keep(operation);
    forget(operation);
    return input;
  };
  return { keep, forget, take };
}
