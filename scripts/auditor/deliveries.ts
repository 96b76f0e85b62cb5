// What the fake providers received, by the id under which the service sends a message.
import type { Delivery, DeliveryAnswer, FaultRecord } from "./evidence.ts";
import { couldLose } from "./losses.ts";

export type Try = { at: number; answeredAt: number; answer: DeliveryAnswer };

export type Sent = {
  provider: Delivery["provider"];
  messageId: string;
  to: string;
  text: string;
  tries: Try[];
  /** It came with another text or address as well. */
  isMixed: boolean;
};

export type Deliveries = { messages: Map<string, Sent>; count: number };

export type DeliveriesReader = { add(delivery: Delivery): void; end(): Deliveries };

export function readDeliveries(): DeliveriesReader {
  const messages = new Map<string, Sent>();
  let count = 0;
  return {
    add({ provider, messageId, to, text, at, answeredAt, answer }) {
      count++;
      const made = { at, answeredAt, answer };
      const known = messages.get(messageId);
      if (!known) {
        messages.set(messageId, { provider, messageId, to, text, tries: [made], isMixed: false });
        return;
      }
      known.tries.push(made);
      if (known.to !== to || known.text !== text) known.isMixed = true;
    },
    end() {
      for (const { tries } of messages.values()) tries.sort((a, b) => a.at - b.at);
      return { messages, count };
    },
  };
}

/** The provider took the message, whether its response arrived or not. */
export const isTaken = ({ answer }: Try): boolean => answer !== "refused" && answer !== "hung";

/** A provider has 15 s to respond in a run; connections and a busy machine take a little more. */
const callMs = 20_000;

/**
 * A call that was not in flight at the moment: it came later than a call takes, or after another one. A process that is
 * stopped holds up its call for longer, and one that lost its claim may be in the middle of another call.
 */
export function findLaterCall({ tries }: Sent, moment: number, faults: readonly FaultRecord[]): Try | undefined {
  const wasHeldUp = (at: number) =>
    faults.some(
      ({ fault, startedAt, endedAt, problem }) =>
        !problem && fault.startsWith("stop-") && startedAt <= moment + callMs && at <= endedAt + callMs,
    );
  return tries
    .filter(({ at }) => at > moment)
    .find(({ at }, index) =>
      at > moment + callMs ? !wasHeldUp(at) : index > 0 && !couldLose(faults, moment - callMs, at),
    );
}

/** Ids of messages are UUIDs; a mail has one as the part before the @ of its Message-ID. */
export const uuidIn = (messageId: string): string | null =>
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i.exec(messageId)?.[0].toLowerCase() ?? null;
