// The tarball of a package that others install: the service serves it under /packages, and a release publishes it. The
// same sources make the same bytes on every machine, because the lock files of applications hold its hash: times,
// owners and order are fixed, and the content is stored without compression, since the result of zlib depends on its
// version and on the processor.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { gzipSync } from "node:zlib";

/** What npm packs of every package, whatever its list of files says. */
const always = ["package.json", "README.md", "LICENSE"];
/** Folders of files that are committed. */
const folders = ["bin", "types"];

/** All files below a folder, sorted; the path itself where it is a file. */
export function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** What is in the tarball in addition to what is built, relative to the root of the repository. */
export function packageFiles(folder) {
  const name = folder.split(sep).slice(-2).join("/");
  return [...always, ...folders].filter((one) => existsSync(join(folder, one))).map((one) => `${name}/${one}`);
}

/** Writes the tarball next to what was built in `built`, and returns its entry for the list of files. */
export function packTarball(folder, built) {
  const manifest = readManifest(folder);
  const { name, version, files, bin = {} } = manifest;
  const sources = folders.filter((one) => existsSync(join(folder, one))).flatMap((one) => filesIn(join(folder, one)));
  const places = new Map([
    ...sources.map((path) => [nameIn(folder, path), path]),
    ...filesIn(built).map((path) => [`dist/${nameIn(built, path)}`, path]),
  ]);
  const contents = new Map([["package.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]]);
  for (const one of always.slice(1)) contents.set(one, readFileSync(join(folder, one)));
  for (const [one, path] of places) if (isListed(one, files)) contents.set(one, readFileSync(path));

  const programs = new Set(Object.values(bin));
  const entries = [...contents].sort(([a], [b]) => (a < b ? -1 : 1));
  const blocks = entries.flatMap(([one, content]) => [
    tarHeader(`package/${one}`, content.length, programs.has(one) ? 0o755 : 0o644),
    content,
    Buffer.alloc(-content.length & 511),
  ]);
  const tarball = gzipStored(Buffer.concat([...blocks, Buffer.alloc(1024)]));
  const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  writeFileSync(join(built, file), tarball);
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const sizes = { bytes: tarball.length, gzip: 0, brotli: 0, imports: [] };
  return { [file]: { ...sizes, entryPoint: "package.json", package: { name, version, integrity } } };
}

const nameIn = (folder, path) =>
  path
    .slice(folder.length + 1)
    .split(sep)
    .join("/");

/** Without what only the other packages of this repository use: exports of sources, and what is in the bundles. */
function readManifest(folder) {
  const { exports, devDependencies, ...manifest } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!exports) return manifest;
  const isPublic = ([, target]) => typeof target !== "string" || !target.startsWith("./src/");
  return { ...manifest, exports: Object.fromEntries(Object.entries(exports).filter(isPublic)) };
}

/** Reads `files` as npm does: folders, names with `*`, and with `!` what is left out again. */
function isListed(name, patterns) {
  const fits = (pattern) => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}(?:/|$)`).test(name);
  const last = patterns.findLast((pattern) => fits(pattern.replace("!", "")));
  return last !== undefined && !last.startsWith("!");
}

/** The time that npm gives to all files of a package. */
const packedAt = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** A header of POSIX tar (ustar), for a file without an owner. */
function tarHeader(name, size, mode) {
  if (name.length > 100) throw new Error(`${name} is too long for the header of a tar file`);
  const header = Buffer.alloc(512);
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(packedAt, 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

const largestBlock = 0xffff;

function gzipStored(content) {
  const parts = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])];
  for (let at = 0; at < content.length; at += largestBlock) {
    const block = content.subarray(at, at + largestBlock);
    const head = Buffer.alloc(5);
    head[0] = at + block.length === content.length ? 1 : 0;
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ 0xffff, 3);
    parts.push(head, block);
  }
  // Checksum and length: the last eight bytes of every gzip file.
  parts.push(gzipSync(content, { level: 1 }).subarray(-8));
  return Buffer.concat(parts);
}
