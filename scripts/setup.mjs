// Brings node_modules in line with package-lock.json, and what is built in line with its sources, before any script
// runs. It runs on the Node of the machine (20 or later) and installs the pinned one: `npm run` puts node_modules/.bin
// first on PATH, so the script that follows this one already runs on Node 24. The runtime is an optional dependency for
// each platform, so npm checks its hash like that of any package. `npm start` passes --omit=dev: it installs without
// the dev dependencies, which are most of the packages.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const marker = join(root, "node_modules", ".tidings-setup");
const pinnedNode = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");

// The platform is part of the state: a node_modules folder copied from another machine has the wrong binaries.
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .update(`${process.platform}-${process.arch}`)
  .digest("hex");

// --include=dev is explicit, because npm omits dev dependencies under NODE_ENV=production.
const mode = process.argv.includes("--omit=dev") ? "--omit=dev" : "--include=dev";
const found = existsSync(marker) && existsSync(pinnedNode) ? readFileSync(marker, "utf8") : "";
const isPart = found === `${wanted} --omit=dev`;
const isWhole = found === `${wanted} --include=dev`;

if (!isWhole && !(isPart && mode === "--omit=dev")) {
  console.error(`Tidings: installing ${isPart ? "dev " : ""}dependencies, about 15 to 60 seconds …`);
  const started = Date.now();
  const npm = process.env.npm_execpath;
  // `npm ci` begins by emptying node_modules, and with it the PostgreSQL of a service that runs from this folder.
  const command = isPart ? ["install", "--no-save"] : ["ci"];
  const args = [...command, "--no-audit", "--no-fund", "--loglevel=error", mode];
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: "inherit" })
    : spawnSync("npm", args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (result.status !== 0) {
    console.error(`Tidings: npm ${command[0]} failed; the lines above say why. Nothing was started.`);
    process.exit(result.status ?? 1);
  }
  if (!existsSync(pinnedNode)) {
    console.error(
      `Tidings: there is no pinned Node runtime for ${process.platform}-${process.arch}, or npm left out optional dependencies (omit=optional).`,
    );
    process.exit(1);
  }
  writeFileSync(marker, `${wanted} ${mode}`);
  console.error(`Tidings: dependencies installed in ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

// Loaded late, because a fresh checkout has no esbuild before the lines above.
const { buildPackages } = await import("./build.mjs");
await buildPackages(root).catch((error) => {
  console.error(`Tidings: the packages could not be built: ${error.message}`);
  process.exit(1);
});
