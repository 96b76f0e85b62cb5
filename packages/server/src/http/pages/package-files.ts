// The packages that applications install from their service, at its version: `/packages` lists them,
// `/packages/tidings-client-<version>.tgz` is a tarball, and `/packages/client.tgz` leads to it, for scripts that do
// not know the version. They are public code, as the widget is.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { failure } from "../../failure.ts";
import { type BuiltFiles, mayChange, openBuiltFiles } from "../built-files.ts";
import { pathOf } from "../route-errors.ts";
import { addressOf, basePathOf } from "./base-path.ts";

type Tarball = { files: BuiltFiles; file: string; bytes: number; name: string; version: string; integrity: string };

/** The packages by the short name of each, such as `client`. */
function readTarballs(): Map<string, Tarball> {
  const found = ["client", "cli", "inbox"].flatMap((short): [string, Tarball][] => {
    const files = openBuiltFiles(short);
    const file = files?.entryOf("package.json");
    if (!files || file === undefined) return [];
    const { bytes, package: described } = files.find(file)!;
    return [[short, { files, file, bytes, ...described! }]];
  });
  return new Map(found);
}

export function addPackageFiles(server: FastifyInstance, { publicUrl }: Config): void {
  const tarballs = readTarballs();

  server.get("/packages", async (request) => {
    const folder = `${addressOf(publicUrl, request)}/packages`;
    const packages = [...tarballs].map(([short, { file, bytes, name, version, integrity }]) => {
      // The command line is a program; the others are parts of one.
      const install = `npm install ${short === "cli" ? "--global " : ""}${folder}/${file}`;
      return {
        name,
        version,
        url: `${folder}/${file}`,
        latestUrl: `${folder}/${short}.tgz`,
        bytes,
        integrity,
        install,
      };
    });
    return { packages };
  });

  server.get<{ Params: { file: string } }>("/packages/:file", async (request, reply) => {
    const { file } = request.params;
    const latest = file.endsWith(".tgz") ? tarballs.get(file.slice(0, -".tgz".length)) : undefined;
    // Not the content itself: in a lock file, this address would have another hash after every upgrade.
    if (latest) return reply.redirect(`${basePathOf(publicUrl, request)}packages/${latest.file}`, 302);
    const tarball = [...tarballs.values()].find((one) => one.file === file);
    if (!tarball) throw notFound(request, [...tarballs.values()]);
    // A clone that is developed has other content under the same version, so caches ask again.
    return tarball.files.send(request, reply, file, mayChange);
  });
}

/** Mostly a version from before an upgrade: the error names what there is. */
function notFound(request: FastifyRequest, tarballs: Tarball[]): Error {
  const path = pathOf(request);
  const existing = tarballs.map(({ file }) => `/packages/${file}`).join(", ");
  const message = `${path} does not exist. This service has the packages of its version only: ${existing}`;
  return failure("ROUTE_NOT_FOUND", { method: request.method, path }, { message });
}
