// One message to the service's /mcp over streamable HTTP.
import { isJsonObject, type JsonObject } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { Login } from "../logins.ts";

export type Message = JsonObject & { id?: unknown; method?: unknown; params?: JsonObject };

const versionMember = "io.modelcontextprotocol/protocolVersion";

/** What is not plain ASCII is encoded, as the protocol says. */
const headerText = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** The version that a client of 2026 or later says with every request. */
export function claimedVersion({ params }: Message): string | undefined {
  const meta = isJsonObject(params?._meta) ? params._meta : {};
  const claimed = meta[versionMember];
  return typeof claimed === "string" ? claimed : undefined;
}

/** The headers that repeat what is in the message. */
function headersOf(message: Message, version: string | undefined): Record<string, string> {
  const { method, params = {} } = message;
  const claimed = claimedVersion(message);
  // An older client says its version once, when it begins.
  if (claimed === undefined) return version && method !== "initialize" ? { "mcp-protocol-version": version } : {};
  const name = params.name ?? params.uri;
  return {
    "mcp-protocol-version": claimed,
    "mcp-method": String(method),
    ...(typeof name === "string" && { "mcp-name": headerText(name) }),
  };
}

export async function post(
  { url, apiKey }: Login,
  message: Message,
  version: string | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const response = await fetch(`${url.replace(/\/$/, "")}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${apiKey}`,
      ...headersOf(message, version),
    },
    body: JSON.stringify(message),
    // A redirect would send the key elsewhere.
    redirect: "error",
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new CliError(`Cannot reach the service at ${url}: ${(error as Error).message}`);
  });
  const text = await response.text();
  const body = readJson(text);
  if (isJsonObject(body) && body.jsonrpc === "2.0") return body;
  if (response.status === 404) throw new CliError(`The service at ${url} has no /mcp: it is an older version.`);
  throw new CliError(`The service at ${url} responded with status ${response.status}, and not in the protocol.`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
