// What SMS adapters share: the ways numbers are written, the alphabet a plain SMS is limited to, and errors without
// codes.

import type { Failure, RejectionClass } from "./outcome.ts";
import { failureByCode, type HttpReply } from "./reply.ts";

/** A number without its plus, for APIs that only accept digits. */
export function toDigits(number: string): string {
  return number.replace("+", "");
}

// The basic characters, then the extended ones, each of which takes two places in an SMS.
const gsm = new Set(
  [
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
    "\f^{}\\[~]|€",
  ].join(""),
);

/**
 * Whether the text fits the GSM 03.38 alphabet. Some providers need a flag when it does not, and otherwise replace each
 * unknown character by a question mark.
 */
export function fitsGsm(text: string): boolean {
  return [...text].every((letter) => gsm.has(letter));
}

export type ErrorPatterns = readonly (readonly [pattern: RegExp, means: RejectionClass])[];

/**
 * The failure for a provider whose errors are sentences: the first pattern that matches decides, otherwise the status.
 */
export function failureByPattern(reply: HttpReply, words: ErrorPatterns): Failure {
  const { status, text } = reply;
  // For temporary errors and redirects, the status alone decides.
  const isFinal = status < 300 || (status >= 400 && status < 500 && ![408, 425, 429].includes(status));
  const means = isFinal ? words.find(([pattern]) => pattern.test(text))?.[1] : undefined;
  return failureByCode(reply, "said", means ? { said: means } : {});
}
