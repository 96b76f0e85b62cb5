// Reads another installation through its public API, which has the paths of ours. Some installations wrap every answer in `data`.
import { createTidings, type Tidings } from "@tidings/client/source";
import { isJsonObject } from "@tidings/contract";

export type Source = Tidings;
type Member = Record<string, unknown>;

export const openSource = (url: string, apiKey: string): Source => createTidings({ baseUrl: url, apiKey, retries: 5 });

/** The record of an answer, with or without its wrapping. */
export const unwrap = <T>(answer: T): T =>
  isJsonObject(answer) && isJsonObject(answer.data) && Object.keys(answer).length === 1 ? (answer.data as T) : answer;

/** The list of an answer: the answer itself, or its member of this name, or `data`. */
export function listOf<T>(answer: unknown, name: string): T[] {
  const inner = unwrap(answer) as unknown;
  if (Array.isArray(inner)) return inner as T[];
  const members = inner as Member;
  const found = members?.[name] ?? members?.data;
  return Array.isArray(found) ? (found as T[]) : [];
}

export const cursorOf = (answer: unknown): string | null => {
  const { next } = unwrap(answer) as { next?: unknown };
  return typeof next === "string" && next !== "" ? next : null;
};

/** Lists with an offset end here. */
const mostListed = 10_000;
const perPage = 100;

export async function readAllPages<T>(
  ask: (query: { limit: number; offset: number }) => Promise<unknown>,
  name: string,
): Promise<T[]> {
  const all: T[] = [];
  for (let offset = 0; offset < mostListed; offset += perPage) {
    const page = listOf<T>(await ask({ limit: perPage, offset }), name);
    all.push(...page);
    if (page.length < perPage) break;
  }
  return all;
}
