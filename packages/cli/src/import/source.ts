// Reads another installation through its public API, which has the paths of ours. Some installations wrap every
// response in `data`.
import { createTidings, type Tidings } from "@tidings/client/source";
import { isJsonObject } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { ImportReport } from "./report.ts";
import { findOrNull } from "./requests.ts";

export type Source = Tidings;
export type Import = { source: Source; target: Tidings; report: ImportReport };
type Member = Record<string, unknown>;

export const openSource = (url: string, apiKey: string): Source => createTidings({ baseUrl: url, apiKey, retries: 5 });

/**
 * Which service responds. Both speak the same paths, and Tidings may use the words of Novu, but stored values differ in
 * meaning: a `skip` rule of Tidings says when to skip, one of Novu when to run. Only Tidings has this operation. A
 * response that is neither the record nor "not found" ends the import: a guess could turn every condition round.
 */
export async function recogniseSource(source: Source): Promise<ImportReport["source"]> {
  const state = await findOrNull(() => source.system.retrieve());
  if (state === null) return "novu";
  if (isJsonObject(state.versions) && typeof state.versions.service === "string") return "tidings";
  throw new CliError("The other installation is neither Novu nor Tidings: unknown response to GET /v1/system.", {
    fix: "--from expects the URL of its API, for example https://api.novu.co.",
  });
}

/** The record of a response, with or without its wrapping. */
export const unwrap = <T>(answer: T): T =>
  isJsonObject(answer) && isJsonObject(answer.data) && Object.keys(answer).length === 1 ? (answer.data as T) : answer;

/** The list of a response: the response itself, or its member of this name, or `data`. */
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
const maxListed = 10_000;
const perPage = 100;

export async function readAllPages<T>(
  ask: (query: { limit: number; offset: number }) => Promise<unknown>,
  name: string,
): Promise<T[]> {
  const all: T[] = [];
  for (let offset = 0; offset < maxListed; offset += perPage) {
    const page = listOf<T>(await ask({ limit: perPage, offset }), name);
    all.push(...page);
    if (page.length < perPage) break;
  }
  return all;
}
