// Serves the files that setup built for browsers and package managers (scripts/build.mjs). The list of files is read
// once, so a request can name no other file of the machine.
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";

type BuiltFile = {
  bytes: number;
  gzip: number;
  brotli: number;
  entryPoint?: string;
  /** For the screen of a dashboard: the paths of its routes. */
  paths?: string[];
  css?: string;
  /** For the tarball of a package that others install. */
  package?: { name: string; version: string; integrity: string };
  imports: string[];
};

export type BuiltFiles = {
  /** The file with this name of the build, or undefined. */
  find: (name: string) => BuiltFile | undefined;
  /** The built file of a source such as "src/main.tsx"; undefined where it is not an entry of the build. */
  entryOf: (source: string) => string | undefined;
  /** The paths that the build has pages for, such as `/workflows/$workflowId`, each with its file. */
  pages: ReadonlyMap<string, string>;
  send: (request: FastifyRequest, reply: FastifyReply, name: string, caching: string) => Promise<FastifyReply>;
};

const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

/** For files whose name contains the hash of their content. */
export const neverChanges = "public, max-age=31536000, immutable";
/**
 * For files whose content may change under their name: asked for again after five minutes, and responded with 304 while
 * they are the same.
 */
export const mayChange = "public, max-age=300, must-revalidate";

/** The smallest first. */
const encodings = [
  { name: "br", ending: ".br", size: "brotli", pattern: /\bbr\b/ },
  { name: "gzip", ending: ".gz", size: "gzip", pattern: /\bgzip\b/ },
] as const;

const chooseEncoding = (file: BuiltFile, accepted = "") =>
  encodings.find(({ size, pattern }) => file[size] > 0 && pattern.test(accepted));

/** By package: the services of a process read a list once. */
const opened = new Map<string, BuiltFiles>();

/** The built files of packages/<name>; null where they were not built. */
export function openBuiltFiles(name: string): BuiltFiles | null {
  const files = opened.get(name) ?? readBuiltFiles(name);
  if (files) opened.set(name, files);
  return files;
}

function readBuiltFiles(name: string): BuiltFiles | null {
  const folder = join(import.meta.dirname, "../../..", name, "dist");
  const list = join(folder, "files.json");
  if (!existsSync(list)) return null;
  const files = new Map(Object.entries(JSON.parse(readFileSync(list, "utf8")) as Record<string, BuiltFile>));
  const entries = new Map([...files].flatMap(([file, { entryPoint }]) => (entryPoint ? [[entryPoint, file]] : [])));
  const pages = new Map([...files].flatMap(([file, { paths = [] }]) => paths.map((path) => [path, file] as const)));
  const tag = `"${readFileSync(join(folder, ".built"), "utf8").slice(0, 16)}"`;
  return {
    find: (file) => files.get(file),
    entryOf: (source) => entries.get(source),
    pages,
    send: async (request, reply, file, caching) => {
      reply.headers({
        "cache-control": caching,
        etag: tag,
        vary: "accept-encoding",
        "x-content-type-options": "nosniff",
        "content-type": types[extname(file)] ?? "application/octet-stream",
        ...(files.has(`${file}.map`) && { sourcemap: `${basename(file)}.map` }),
      });
      if (request.headers["if-none-match"] === tag) return reply.code(304).send();
      const encoding = chooseEncoding(files.get(file)!, request.headers["accept-encoding"]);
      if (encoding) reply.header("content-encoding", encoding.name);
      return reply.send(await readFile(join(folder, encoding ? file + encoding.ending : file)));
    },
  };
}
