// What the fake providers do with a message. A mood decides for all new messages. In the normal mood most messages are
// accepted at once, and a seeded share is mistreated at its first attempt.
import { createRandom } from "@tidings/testkit/load/random";
import type { DeliveryAnswer } from "../../auditor/evidence.ts";
import type { ProviderMood } from "../parts.ts";

type Decision = { answer: DeliveryAnswer; lateMs: number };

export type Moods = {
  set(mood: ProviderMood): void;
  decide(messageId: string): Decision;
  /** Ends when the mood does that was in effect when the message came. */
  wait(): Promise<void>;
  close(): void;
};

const shares: [DeliveryAnswer, number][] = [
  ["refused", 0.04],
  ["late", 0.02],
  ["lost", 0.02],
  ["twice", 0.02],
];
const shortestLateMs = 3_000;
const longestLateMs = 10_000;
/** Messages whose first attempt is remembered. The oldest are forgotten: their retries have long ended. */
const mostRemembered = 5_000;

export function createMoods(seed: number, provider: string): Moods {
  let mood: ProviderMood = "normal";
  const mistreated = new Set<string>();
  const waiting = new Set<() => void>();

  const remember = (messageId: string) => {
    mistreated.add(messageId);
    if (mistreated.size > mostRemembered) mistreated.delete(mistreated.values().next().value!);
  };
  const decideNormally = (messageId: string): Decision => {
    if (mistreated.has(messageId)) return { answer: "accepted", lateMs: 0 };
    // By the id alone, so that it does not matter in which order messages come.
    const random = createRandom(seed, `${provider} ${messageId}`);
    let drawn = random.next();
    for (const [answer, share] of shares) {
      drawn -= share;
      if (drawn >= 0) continue;
      remember(messageId);
      return { answer, lateMs: answer === "late" ? random.between(shortestLateMs, longestLateMs) : 0 };
    }
    return { answer: "accepted", lateMs: 0 };
  };
  const release = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return {
    set(next) {
      mood = next;
      release();
    },
    decide(messageId) {
      if (mood === "normal") return decideNormally(messageId);
      const answers = { fails: "refused", hangs: "hung", "loses-answers": "lost", "answers-twice": "twice" } as const;
      return { answer: answers[mood], lateMs: 0 };
    },
    wait: () => new Promise((resolve) => waiting.add(resolve)),
    close: release,
  };
}
