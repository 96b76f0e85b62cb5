// Brings messages of the protocol from the standard input to the service's /mcp, and its responses back. The service
// has the tools, so they are those of its version, with its limits and its audit log. Nothing is kept between messages.
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject } from "@tidings/contract";
import type { Io } from "../io.ts";
import type { Login } from "../logins.ts";
import { withFolder, withoutFolder } from "./folder-files.ts";
import { claimedVersion, type Message, post } from "./post.ts";

/** Longer than the service works on a request. */
const maxMs = 70_000;
/** Messages that wait for the service at the same time; the input is not read on meanwhile. */
const maxAtOnce = 8;
const maxLine = 16 * 1024 * 1024;

const errorOf = (id: unknown, code: number, message: string): JsonObject => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message },
});

type Read = { message: Message; fault?: never } | { fault: JsonObject };

function readMessage(line: string): Read {
  if (line.length > maxLine) return { fault: errorOf(null, -32_600, `A message may have ${maxLine} characters`) };
  try {
    const value: unknown = JSON.parse(line);
    if (isJsonObject(value)) return { message: value };
    return { fault: errorOf(null, -32_600, "A message is one JSON object") };
  } catch {
    return { fault: errorOf(null, -32_700, "The line is not JSON") };
  }
}

export async function serveLines(io: Io, login: Login, folder: string): Promise<void> {
  const open = new Map<unknown, AbortController>();
  const working = new Set<Promise<void>>();
  let version: string | undefined;
  const write = (message: JsonObject) => void io.stdout.write(`${JSON.stringify(message)}\n`);

  const answer = async (message: Message): Promise<void> => {
    const { id, method } = message;
    const stop = new AbortController();
    open.set(id, stop);
    const signal = AbortSignal.any([io.signal, stop.signal, AbortSignal.timeout(maxMs)]);
    try {
      const refusal = withFolder(message, folder);
      if (typeof refusal === "string") {
        const result = { content: [{ type: "text", text: refusal }], isError: true };
        write({
          jsonrpc: "2.0",
          id,
          result: { ...result, ...(claimedVersion(message) && { resultType: "complete" }) },
        });
        return;
      }
      const reply = await post(login, refusal, version, signal);
      const result = isJsonObject(reply.result) ? reply.result : undefined;
      if (method === "initialize" && typeof result?.protocolVersion === "string") version = result.protocolVersion;
      write({ ...withoutFolder(method, reply), id });
    } catch (error) {
      // A canceled request gets no response.
      if (!stop.signal.aborted) write(errorOf(id, -32_000, (error as Error).message));
    } finally {
      open.delete(id);
    }
  };

  const lines = createInterface({ input: io.stdin, signal: io.signal });
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const read = readMessage(line);
    if (read.fault) {
      write(read.fault);
      continue;
    }
    const { message } = read;
    if (message.method === "notifications/cancelled") open.get(message.params?.requestId)?.abort();
    // Notifications and responses are not for the service.
    if (message.id === undefined || typeof message.method !== "string") continue;
    const work = answer(message);
    working.add(work);
    void work.finally(() => working.delete(work));
    if (working.size >= maxAtOnce) await Promise.race(working);
  }
  await Promise.all(working);
}
