// Turns on Node's cache of compiled code before anything else of the service is loaded, so that the next start does not
// compile: Node compares each entry with its source. The cache is next to the bundle, which replaces it
// when it is built again.
import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { showSourcesInStacks } from "./stack-traces.ts";

const bundle = new URL("../dist/", import.meta.url);

showSourcesInStacks(bundle);
// A folder that cannot be written (a read-only image) only makes the start slower.
enableCompileCache(fileURLToPath(new URL(".compiled", bundle)));
await (isMainThread ? import("./main.ts") : import("./threads/worker.ts"));
// Node itself writes the cache when a process exits, which a killed one does not.
flushCompileCache();
