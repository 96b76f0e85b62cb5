// The fake SMS gateway: HTTP with JSON, as the provider "generic-sms" calls it.
import type { ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { openHttpServer } from "@tidings/testkit/servers/http";
import type { Delivery } from "../../auditor/evidence.ts";
import type { EvidenceWriter } from "../parts.ts";
import { createMoods, type Moods } from "./moods.ts";

export type FakeProvider = { port: number; moods: Moods; close(): Promise<void> };

type Sms = { id: string; to: string; content: string };

export async function startSmsGateway(evidence: Pick<EvidenceWriter, "delivery">, seed: number): Promise<FakeProvider> {
  const moods = createMoods(seed, "sms");
  const { port, close } = await openHttpServer(async (request, response) => {
    // Null if the connection broke first.
    const message = (await json(request).catch(() => null)) as Sms | null;
    if (message) await answerMessage({ message, response, moods, evidence });
    else response.destroy();
  });
  return {
    port,
    moods,
    async close() {
      moods.close();
      await close();
    },
  };
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
