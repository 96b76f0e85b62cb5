// The simulator, once its modules are replaced: whoever runs it loads it from here, in a separate process.
import { registerModels } from "./hooks.ts";
import { mutations } from "./mutations.ts";

/** `mutation`: the name of the error that is planted. */
export async function loadSimulator(mutation?: string): Promise<typeof import("./run.ts")> {
  const planted = mutations.find(({ name }) => name === mutation);
  if (mutation !== undefined && !planted) throw new Error(`there is no mutation ${mutation}`);
  registerModels(planted);
  return import("./run.ts");
}
