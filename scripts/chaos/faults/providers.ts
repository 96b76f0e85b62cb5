// Faults of the providers that the service sends to.
import type { ProviderMood } from "../parts.ts";
import type { Fault } from "./fault.ts";

const inMood = (mood: ProviderMood, about: string): Fault => ({
  about,
  begin({ load, target }) {
    if (target !== "smtp" && target !== "sms") throw new Error(`there is no provider ${target}`);
    load.setMood(target, mood);
    return { end: () => load.setMood(target, "normal") };
  },
});

export const providerFails = inMood("fails", "a provider refuses all messages");
export const providerHangs = inMood("hangs", "a provider accepts connections, and does not answer");
export const providerLosesAnswers = inMood("loses-answers", "a provider sends the message, and its answer is lost");
