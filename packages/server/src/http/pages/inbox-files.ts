// The files of the inbox widget. They are public code for pages of any origin.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failure } from "../../failure.ts";
import { mayChange, neverChanges, openBuiltFiles } from "../built-files.ts";

const inboxScriptPath = "/inbox.js";
const inboxFilesPath = "/inbox/:file";

/** Names of chunks contain the hash of their content, in capitals. */
const hashed = /-[A-Z0-9]{8}\.js(\.map)?$/;

export function addInboxFiles(server: FastifyInstance): void {
  const files = openBuiltFiles("inbox");
  if (!files) return;
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const found = files.find(name);
    if (!found || found.package)
      throw failure("ROUTE_NOT_FOUND", { method: request.method, path: request.url.split("?")[0]! });
    // Modules are fetched with CORS, and pages that isolate themselves load no script without the second header.
    reply.headers({ "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" });
    return files.send(request, reply, name, hashed.test(name) ? neverChanges : mayChange);
  };
  for (const path of [inboxScriptPath, `${inboxScriptPath}.map`]) {
    server.get(path, (request, reply) => send(request, reply, path.slice(1)));
  }
  server.get(inboxFilesPath, (request, reply) => send(request, reply, (request.params as { file: string }).file));
}
