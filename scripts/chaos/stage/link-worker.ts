// The thread of links.ts.
import { parentPort } from "node:worker_threads";
import { type Link, openLink } from "@tidings/testkit/proxies/link";
import type { LinkAnswer, LinkRequest } from "./links.ts";

const links = new Map<number, Link>();

async function handle(request: LinkRequest): Promise<void> {
  if ("open" in request) {
    const { port, targetPort } = request.open;
    return void links.set(port, await openLink(port, { host: "127.0.0.1", port: targetPort }));
  }
  const { ports, state } = request.set;
  await Promise.all(ports.map((port) => links.get(port)!.set(state)));
}

parentPort!.on("message", async (request: LinkRequest) => {
  const answer: LinkAnswer = { id: request.id };
  try {
    await handle(request);
  } catch (error) {
    answer.error = (error as Error).message;
  }
  parentPort!.postMessage(answer);
});
