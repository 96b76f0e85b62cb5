// The embedded PostgreSQL under user ids that containers have: one without a name, and one that may not use the folder.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { atEnd } from "@tidings/testkit/at-end";

const runFile = promisify(execFile);
const embedded = pathToFileURL(join(import.meta.dirname, "../../../src/store/embedded/embedded.ts")).href;
const root = realpathSync(mkdtempSync(join(tmpdir(), "tidings-users-")));
atEnd(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
chmodSync(root, 0o755);
const uid = 4711;
const skip =
  process.platform === "linux" && process.getuid?.() === 0 ? false : "only root can start a process as another user";

function folderOf(name: string, owner: number, mode: number): string {
  const path = join(root, name);
  mkdirSync(path);
  chownSync(path, owner, owner);
  chmodSync(path, mode);
  return path;
}

/** Starts and stops a service as user 4711, who may also read a checkout that is closed to others. */
async function startAsUser(dataDir: string): Promise<{ version?: string; error?: string }> {
  const script = `
    import { startEmbedded } from ${JSON.stringify(embedded)};
    try {
      const database = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)} });
      await database.stop();
      console.log(JSON.stringify({ version: database.version }));
    } catch (error) {
      console.log(JSON.stringify({ error: error.name + ": " + error.message }));
    }`;
  const { stdout } = await runFile("setpriv", [
    ...[`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--securebits=+no_setuid_fixup"],
    ...["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"],
    ...[process.execPath, "--input-type=module", "--eval", script],
  ]);
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as { version?: string; error?: string };
}

test("a folder of another user is refused with its owner and the fix, and nothing is written", { skip }, async () => {
  const ofRoot = folderOf("of-root", 0, 0o755);
  const refused = await startAsUser(ofRoot);
  assert.equal(
    refused.error,
    `DataFolderError: This service runs as user ${uid} and may not write to its data folder ${ofRoot}, which belongs to ` +
      `user 0 and group 0 with mode 755. Give the data folder to this user: chown -R ${uid} ${ofRoot} (for a container, on ` +
      `the folder or volume that is mounted there; in Kubernetes, set fsGroup: ${uid} in the pod's security context).`,
  );
  assert.deepEqual(readdirSync(ofRoot), []);
  const below = await startAsUser(join(ofRoot, "data"));
  assert.match(
    below.error!,
    /may not write to \S+\/of-root, which belongs to user 0 .* chown -R 4711 \S+\/of-root\/data /,
  );

  const shared = folderOf("shared", 0, 0o777);
  mkdirSync(join(shared, "postgres"));
  chownSync(join(shared, "postgres"), 10_001, 0);
  const other = await startAsUser(shared);
  assert.match(
    other.error!,
    /^DataFolderError: The database in \S+\/shared\/postgres belongs to user 10001, .* as user 4711/,
  );
  assert.match(other.error!, /Start the service as user 10001, or stop it and run: chown -R 4711 \S+\/shared$/);
  assert.deepEqual(readdirSync(shared), ["postgres"]);
});

test("a user id without a name creates a database, where libnss_wrapper is installed", { skip }, async () => {
  // The loader says so where it cannot find the library.
  const { stderr } = spawnSync("true", { env: { LD_PRELOAD: "libnss_wrapper.so" }, encoding: "utf8" });
  const hasWrapper = stderr === "";
  const own = folderOf("own", uid, 0o700);
  const { version, error } = await startAsUser(own);
  if (!hasWrapper) {
    assert.match(error!, /^DataFolderError: No PostgreSQL database could be created .*User id 4711 has no name/);
    assert.match(error!, /add the id to \/etc\/passwd, install libnss-wrapper/);
    return;
  }
  assert.match(version ?? "", /^18\./, error);
  assert.equal(statSync(join(own, "postgres")).uid, uid);
  const again = await startAsUser(own);
  assert.match(again.version ?? "", /^18\./, again.error);
});
