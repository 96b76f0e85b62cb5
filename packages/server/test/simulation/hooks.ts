// Loads the service for the simulation: modules of the store that have a model in store/ are replaced by it, and timers
// by those of the simulated clock. A model imports the module that it stands for, and replaces some of its functions.
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { Mutation } from "./mutations.ts";

const here = new URL("./", import.meta.url).href;
const source = new URL("../../src/", import.meta.url).href;

/** By the path below packages/server/src. */
const replaced: Record<string, string> = {
  "lib/load/pauses.ts": "world/pauses.ts",
};

function modelOf(url: string): string | undefined {
  if (!url.startsWith(source)) return undefined;
  const path = url.slice(source.length);
  const model = new URL(replaced[path] ?? path, here);
  return (replaced[path] !== undefined || path.startsWith("store/")) && existsSync(fileURLToPath(model))
    ? model.href
    : undefined;
}

/** `mutation`: an error that is planted into one module, by which the checks of the simulation are checked. */
export function registerModels(mutation?: Mutation): void {
  const target = mutation && new URL(`../../${mutation.file}`, import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      const isService = context.parentURL?.startsWith(source) === true;
      if (isService && specifier === "node:timers/promises") return next(`${here}world/timers.ts`, context);
      const resolved = next(specifier, context);
      const model = isService ? modelOf(resolved.url) : undefined;
      return model ? { ...resolved, url: model } : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!mutation || url !== target) return loaded;
      const text = String(loaded.source);
      if (text.split(mutation.from).length !== 2)
        throw new Error(`${mutation.file} does not have "${mutation.from}" once`);
      return { ...loaded, source: text.replace(mutation.from, () => mutation.to) };
    },
  });
}
