#!/usr/bin/env node
// Runs the bundle, which setup builds from src/ (`npm run setup` in a clone).
import { existsSync } from "node:fs";
import module from "node:module";

const bundle = new URL("../dist/tidings.mjs", import.meta.url);
if (!existsSync(bundle)) {
  process.stderr.write("The command line is not built yet. Run: npm run setup\n");
  process.exit(1);
}
// Saves a third of the time to start, where Node has it (22.8 and later).
module.enableCompileCache?.();
await import(bundle.href);
