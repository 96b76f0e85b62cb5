// The first file that `npm start` runs. It turns on Node's cache of compiled code before anything else is imported, so that the
// next start neither strips types nor compiles: Node compares each entry with the source it was made from, so a changed source
// is never run from the cache. JavaScript, because reading the first TypeScript file takes 20 MB (docs/decisions/0012-idle.md).
import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// A folder that cannot be written (a read-only image) only makes the start slower.
enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/tidings", import.meta.url)));
await import("./main.ts");
// Node itself writes the cache when a process exits, which a killed one does not.
flushCompileCache();
