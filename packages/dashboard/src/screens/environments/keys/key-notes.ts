// What an owner should know about an API key: what it may do in a few words, and what is wrong with it. Pure.
import type { ApiKey } from "@tidings/contract";
import { keyWords as text } from "./words.ts";

const dayMs = 86_400_000;
const unusedDays = 90;
const neverUsedDays = 30;
const oldDays = 365;
const expiringDays = 14;

export type KeyNote = { tone: "bad" | "warn"; sentence: string };

/** The most urgent first. A key that is refused needs no advice about its use. */
export function notesOf(
  { createdAt, lastUsedAt, expiresAt }: Pick<ApiKey, "createdAt" | "lastUsedAt" | "expiresAt">,
  { now, formatDay }: { now: number; formatDay: (iso: string) => string },
): KeyNote[] {
  const since = (iso: string) => Math.floor((now - Date.parse(iso)) / dayMs);
  if (expiresAt && Date.parse(expiresAt) <= now) {
    return [{ tone: "bad", sentence: text.notes.expired(formatDay(expiresAt)) }];
  }
  const left = expiresAt ? (Date.parse(expiresAt) - now) / dayMs : Number.POSITIVE_INFINITY;
  const age = createdAt ? since(createdAt) : 0;
  const sentences = [
    ...(left <= expiringDays ? [text.notes.expiring(Math.floor(left))] : []),
    ...(lastUsedAt && since(lastUsedAt) >= unusedDays ? [text.notes.unused(since(lastUsedAt))] : []),
    ...(!lastUsedAt && age >= neverUsedDays ? [text.notes.neverUsed(age)] : []),
    ...(age > oldDays ? [text.notes.old] : []),
  ];
  return sentences.map((sentence) => ({ tone: "warn", sentence }));
}

/** `Send only`, `3 operations`. */
export const scopeText = ({ scope = "full", operations = [] }: Pick<ApiKey, "scope" | "operations">): string =>
  scope === "operations" ? text.operationsOf(operations.length) : text.scopes[scope];
