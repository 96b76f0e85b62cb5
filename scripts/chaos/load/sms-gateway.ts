// The fake SMS gateway: HTTP with JSON, as the provider "generic-sms" calls it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Delivery } from "../../auditor/evidence.ts";
import type { EvidenceWriter } from "../parts.ts";
import { createMoods, type Moods } from "./moods.ts";

export type FakeProvider = { port: number; moods: Moods; close(): Promise<void> };

type Sms = { id: string; to: string; content: string };

export async function startSmsGateway(evidence: Pick<EvidenceWriter, "delivery">, seed: number): Promise<FakeProvider> {
  const moods = createMoods(seed, "sms");
  const server = createServer(async (request, response) => {
    const message = await readMessage(request);
    if (message) await answerMessage({ message, response, moods, evidence });
    else response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    moods,
    async close() {
      moods.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null if the connection broke first. */
async function readMessage(request: IncomingMessage): Promise<Sms | null> {
  let text = "";
  try {
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Exchange = {
  message: Sms;
  response: ServerResponse;
  moods: Moods;
  evidence: Pick<EvidenceWriter, "delivery">;
};

async function answerMessage({ message, response, moods, evidence }: Exchange): Promise<void> {
  const at = Date.now();
  const { answer, lateMs } = moods.decide(message.id);
  const record = (actual: Delivery["answer"]) =>
    evidence.delivery({
      ...{ provider: "sms", at, answeredAt: Date.now(), messageId: message.id },
      ...{ to: message.to, text: message.content, answer: actual },
    });
  const hasGone = new Promise<void>((resolve) => response.once("close", resolve));
  if (answer === "hung") {
    await Promise.race([moods.wait(), hasGone]);
    record("hung");
    return void response.destroy();
  }
  if (answer === "late") await Promise.race([new Promise((resolve) => setTimeout(resolve, lateMs)), hasGone]);
  // A caller that has gone has not read a response.
  if (answer === "lost" || response.destroyed) {
    record("lost");
    return void response.destroy();
  }
  record(answer);
  const [status, body] = answer === "refused" ? [503, {}] : [200, { id: message.id }];
  const { socket } = response;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (answer === "twice") socket?.write(secondResponse);
}

/** Says the opposite of the first one, to nobody who has asked. */
const secondResponse =
  "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
