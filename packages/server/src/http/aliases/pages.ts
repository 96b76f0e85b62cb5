// Lists by page number over lists by cursor or offset.
import { invalid } from "../../failure.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { AliasAnswer } from "./alias.ts";

type CursorPage<T> = { data: T[]; next: string | null; totalCount: number };
type ReadCursor<T> = (query: { limit: number; after?: string }) => Promise<CursorPage<T>>;

const perRequest = 100;
/** A later page would take too many requests. */
const maxWalked = 10_000;

/** The first items of a list, at most `wanted`. */
async function walk<T>(read: ReadCursor<T>, wanted: number) {
  const items: T[] = [];
  let after: string | undefined;
  for (;;) {
    const query = { limit: Math.min(perRequest, Math.max(1, wanted - items.length)), ...(after && { after }) };
    const { data, next, totalCount } = await read(query);
    items.push(...data);
    if (next === null || items.length >= wanted) return { items, totalCount, hasMore: next !== null };
    after = next;
  }
}

export const walkPages = async <T>(read: ReadCursor<T>): Promise<T[]> => (await walk(read, maxWalked)).items;

export async function readPage<T>(query: JsonObject, newer: string, read: ReadCursor<T>): Promise<AliasAnswer> {
  const { page, limit } = readNumbers(query);
  const wanted = (page + 1) * limit;
  if (wanted > maxWalked)
    throw invalid({
      page: { messages: [`page must stay within the first ${maxWalked} records; use ${newer} with a cursor`] },
    });
  const { items, totalCount, hasMore } = await walk(read, wanted);
  const data = items.slice(page * limit);
  return { status: 200, body: { page, pageSize: limit, totalCount, hasMore, data } };
}

type OffsetPage = { items: unknown[]; totalCount: number };

export async function readOffsetPage(
  query: JsonObject,
  read: (query: { limit: number; offset: number }) => Promise<OffsetPage>,
): Promise<AliasAnswer> {
  const { page, limit } = readNumbers(query);
  const { items, totalCount } = await read({ limit, offset: page * limit });
  const hasMore = (page + 1) * limit < totalCount;
  return { status: 200, body: { page, pageSize: limit, totalCount, hasMore, data: items } };
}

function readNumbers(query: JsonObject): { page: number; limit: number } {
  const numbers = { page: Number(query.page ?? 0), limit: Number(query.limit ?? 10) };
  const { page, limit } = numbers;
  if (!Number.isInteger(page) || page < 0 || page > 1_000_000)
    throw invalid({ page: { messages: ["page must be a whole number from 0"] } });
  if (!Number.isInteger(limit) || limit < 1 || limit > perRequest)
    throw invalid({ limit: { messages: [`limit must be a whole number from 1 to ${perRequest}`] } });
  return numbers;
}
