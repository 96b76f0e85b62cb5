// `npm run test:image [-- --arm64]`: builds the container image from the Dockerfile and tries it out. Prints what it
// saw line by line, and ends with 1 if anything is not as it should be. Needs Linux, root, buildah and mmdebstrap
// (apt-get install buildah mmdebstrap), a Debian mirror and an npm registry; no daemon and no image registry.
// `--arm64` also builds for the other platform, up to the files that it would run.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBuilder } from "./build.ts";
import { killContainers } from "./container.ts";
import { checkConfiguration, checkLibraries, checkSizes, machineOf } from "./contents.ts";
import { trials } from "./trials.ts";
import { openWorld } from "./world.ts";

const say = (line: string) => console.log(`  ${line}`);
const missing = ["buildah", "mmdebstrap", "unshare", "nsenter"].filter(
  (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0,
);
if (missing.length > 0 || process.getuid?.() !== 0) {
  console.error(`The trial of the image needs root and these programs: ${missing.join(", ") || "all are here"}.`);
  console.error("On Debian: apt-get install buildah mmdebstrap util-linux");
  process.exit(1);
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

let failures = 0;
async function attempt(title: string, work: () => unknown): Promise<void> {
  console.log(`\n${title}`);
  try {
    await work();
  } catch (error) {
    failures++;
    say(`FAILED: ${(error as Error).stack}`);
    await killContainers();
  }
}

const folder = mkdtempSync(join(tmpdir(), "tidings-image-"));
const builder = openBuilder(folder, say);
process.once("exit", () => builder.close());

console.log("building the image");
const arch = process.arch === "arm64" ? "arm64" : "amd64";
const image = await builder.build({ arch });
await attempt("what is in it", async () => {
  checkSizes(image, say);
  checkConfiguration(image, say);
  await checkLibraries(image, say);
});
const world = openWorld(image, folder, say);
console.log(
  "\nstarted by unshare and chroot, in its own process and mount namespace, with the network of this machine",
);
for (const [title, trial] of Object.entries(trials)) await attempt(title, () => trial(world));
if (process.argv.includes("--arm64"))
  await attempt("the other platform", async () => {
    const { root } = await builder.build({ arch: "arm64", stage: "build" });
    const programs = ["node/bin/node", "postgres/linux-arm64/native/bin/postgres"];
    for (const path of programs) {
      const machine = machineOf(join(root, "out", path));
      say(`${path} is for ${machine}`);
      if (machine !== "aarch64") throw new Error(`${path} is for ${machine}`);
    }
    say("not started: there is no machine or emulator for it here");
  });
console.log(failures === 0 ? "\nall trials passed" : `\n${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
