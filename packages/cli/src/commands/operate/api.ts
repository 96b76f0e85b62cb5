// `tidings api <method> <path>`: one request to the service, with the key of the environment in use.
import { readBody } from "@tidings/client/source";
import { readJsonObject, refuseMoreArguments, requireArgument } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const help = "tidings api --help";
const maxMs = 60_000;

export const api: Command = {
  usage: "GET|POST|PUT|PATCH|DELETE <path> [--body <json>|@<file>]",
  about:
    "Sends one request and prints the response body. Paths are listed in docs/openapi.json. Exits with 1 if the service returns an error.\n" +
    "In production, every method except GET asks for confirmation.",
  example: "tidings api GET '/v2/workflows?limit=5'",
  actions: methods,
  options: {
    body: { type: "string", value: "json|@file", about: "JSON object, or a file with one; @- reads the input" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 2, help);
    const method = requireArgument(call, 0, "The method", help).toUpperCase();
    if (!methods.some((one) => one === method)) throw wrongUsage(`"${method}" is none of ${methods.join(", ")}.`, help);
    const path = requireArgument(call, 1, "The path", help);
    // The key is for this service: a path cannot name another host.
    if (!/^\/v\d\//.test(path)) throw wrongUsage(`"${path}" is not an API path such as /v2/workflows.`, help);
    const body = await readJsonObject(call, "body");
    if (body && method === "GET") throw wrongUsage("A GET has no body.", help);
    if (method !== "GET") await call.confirm(`${method} ${path}`);
    return send(call, method, path, body);
  },
};

async function send(call: Call, method: string, path: string, body: object | undefined): Promise<ExitCode> {
  const { tidings } = await call.session();
  const response = await tidings.send(method, path, {
    body,
    redirect: "error",
    signal: AbortSignal.any([call.io.signal, AbortSignal.timeout(maxMs)]),
  });
  const value = await readBody(response);
  if (call.out.isJson) call.out.json({ status: response.status, body: value ?? "" });
  else if (value !== undefined) call.out.line(typeof value === "string" ? value : JSON.stringify(value, null, 2));
  if (response.ok) return exitCodes.done;
  // The body says why; what --json prints has the status.
  if (call.out.isJson) return exitCodes.failed;
  throw new CliError(`${method} ${path}: the service returned ${response.status}.`);
}
