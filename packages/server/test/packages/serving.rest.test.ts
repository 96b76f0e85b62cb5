// The tarballs of the packages as the service serves them, and what is in them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { errorOf, request } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { openProject, root, tarballOf } from "./project.ts";

const service = await shareService();
const shorts = ["client", "cli", "inbox"];

type Listed = { name: string; version: string; url: string; bytes: number; integrity: string; install: string };

test("the list has every package with its address, its hash and the command that installs it", async () => {
  const { body } = await request(service, "/packages");
  const { packages } = body as { packages: Listed[] };
  assert.deepEqual(
    packages.map(({ name }) => name),
    shorts.map((short) => `@tidings/${short}`),
  );
  for (const { url, bytes, integrity, install } of packages) {
    const content = Buffer.from(await (await fetch(url)).arrayBuffer());
    assert.equal(content.length, bytes);
    assert.equal(`sha512-${createHash("sha512").update(content).digest("base64")}`, integrity);
    assert.match(install, /^npm install (--global )?http/);
    assert.ok(install.endsWith(url));
  }
  const behindProxy = await request(service, "/packages", { headers: { "x-forwarded-prefix": "/notify" } });
  const [{ url }] = (behindProxy.body as { packages: [Listed] }).packages;
  assert.ok(url.startsWith(`${service.url}/notify/packages/tidings-client-`), url);
});

test("a tarball is asked for again while nothing changes, and a short address leads to it", async () => {
  const { file } = tarballOf("client");
  const first = await request(service, `/packages/${file}`);
  assert.equal(first.status, 200);
  assert.equal(first.headers.get("content-type"), "application/gzip");
  assert.equal(first.headers.get("cache-control"), "public, max-age=300, must-revalidate");
  const again = await request(service, `/packages/${file}`, {
    headers: { "if-none-match": first.headers.get("etag")! },
  });
  assert.equal(again.status, 304);
  const short = await request(service, "/packages/client.tgz");
  assert.equal(short.status, 302);
  assert.equal(short.headers.get("location"), `/packages/${file}`);
  assert.equal(short.headers.get("cache-control"), "no-store");
});

test("another version, or a file that is no package, is an error that names what there is", async () => {
  const { file } = tarballOf("client");
  const names = ["tidings-client-0.0.1.tgz", "server.tgz", "client", ".tgz", "index.js", "..%2f..%2fpackage.json"];
  for (const name of names) {
    const { message } = errorOf(await request(service, `/packages/${name}`), "ROUTE_NOT_FOUND");
    assert.ok(message.includes(`/packages/${file}`), message);
  }
  errorOf(await request(service, `/packages/${file}`, { method: "POST" }), "METHOD_NOT_ALLOWED");
  assert.equal((await request(service, `/inbox/${tarballOf("inbox").file}`)).status, 404);
});

const allowed =
  /^(package\.json|README\.md|LICENSE|bin\/tidings\.mjs|dist\/NOTICE\.txt|dist\/[\w-]+\.(?:js|cjs|mjs)|types\/[\w/-]+\.d\.c?ts)$/;
const largest: Record<string, number> = { client: 600_000, cli: 1_600_000, inbox: 325_000 };

for (const short of shorts) {
  test(`${short}: npm would pack the same files, and every file that the manifest names exists`, async () => {
    const project = openProject();
    const { path } = tarballOf(short);
    await project.run("tar", ["-xzf", path]);
    const folder = join(project.folder, "package");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
      .sort();
    const [packed] = JSON.parse(await project.npm("pack", "--json", "--dry-run", folder));
    assert.deepEqual(packed.files.map((one: { path: string }) => one.path).sort(), files);
    for (const file of files) assert.match(file, allowed);

    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const { dependencies, devDependencies, private: isPrivate, publishConfig } = manifest;
    assert.deepEqual([dependencies, devDependencies, isPrivate], [undefined, undefined, undefined]);
    assert.deepEqual(publishConfig, { access: "public", provenance: true });
    for (const name of namedFiles([
      manifest.exports,
      manifest.bin,
      manifest.main,
      manifest.types,
      manifest.sideEffects,
    ]))
      assert.ok(files.includes(name), `${name} exists`);
    const bytes = gunzipSync(readFileSync(path)).length;
    assert.ok(bytes < largest[short]!, `${bytes} bytes`);
    for (const file of files.filter((name) => /\.[cm]?js$/.test(name)))
      assert.ok(!readFileSync(join(folder, file), "utf8").includes("sourceMappingURL"), `${file} names no map`);
  });
}

/** The files in the values of `exports`, `bin` and the like. */
function namedFiles(value: unknown): string[] {
  if (typeof value === "string") return [value.replace("./", "")];
  return Object.values(value ?? {}).flatMap(namedFiles);
}

test("the same content makes the same bytes, whenever and by whom it was built", async () => {
  const { packTarball } = (await import(pathToFileURL(join(root, "scripts/build-package.mjs")).href)) as {
    packTarball(folder: string, built: string): Record<string, unknown>;
  };
  const { file, path } = tarballOf("client");
  const { folder } = openProject();
  const copy = join(folder, "client");
  mkdirSync(copy);
  for (const name of ["package.json", "README.md", "LICENSE", "types", "dist"])
    cpSync(join(root, "packages/client", name), join(copy, name), { recursive: true });
  rmSync(join(copy, "dist", file));
  for (const name of ["package.json", "dist/index.js"]) utimesSync(join(copy, name), 1, 1);
  packTarball(copy, join(copy, "dist"));
  assert.ok(readFileSync(join(copy, "dist", file)).equals(readFileSync(path)));
});
