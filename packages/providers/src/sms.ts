// What SMS adapters share: the ways numbers are written, the alphabet a plain SMS is limited to, and errors without
// codes.

import { type Failure, type RejectionClass, refused } from "./outcome.ts";
import { eventsOf } from "./receipts.ts";
import type { HttpReply } from "./request.ts";

/** A number without its plus, for APIs that take digits only. */
export const digits = (number: string): string => number.replace("+", "");

// The letters that count once, and behind them those that count twice.
const gsm = new Set(
  [
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
    "\f^{}\\[~]|€",
  ].join(""),
);

/**
 * Whether the text can be written in the GSM 03.38 alphabet. Some providers have to be told when it cannot, and would
 * otherwise put a question mark in place of each letter they do not know.
 */
export const fitsGsm = (text: string): boolean => [...text].every((letter) => gsm.has(letter));

/** A list deep inside a report; one object counts as a list of one, anything absent as an empty list. */
export const listAt = (value: unknown, ...path: string[]): unknown[] => {
  let found = value;
  for (const key of path) found = typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined;
  return eventsOf(found);
};

export type Words = readonly (readonly [pattern: RegExp, means: RejectionClass])[];

/** The refusal of a provider whose errors are sentences: the first pattern that fits counts, else the status does. */
export const refusedInWords = (reply: HttpReply, words: Words): Failure => {
  const { status, text } = reply;
  // Words about a fault that passes, or about a redirect, are not those of the provider's rules.
  const isFinal = status < 300 || (status >= 400 && status < 500 && ![408, 425, 429].includes(status));
  const means = isFinal ? words.find(([pattern]) => pattern.test(text))?.[1] : undefined;
  return refused(reply, "said", means ? { said: means } : {});
};
