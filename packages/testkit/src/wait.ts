// Tests wait for conditions, never for a length of time.

import type { Db } from "@tidings/server/source/store/db";
import { dueChannel } from "@tidings/server/source/store/queue/announce";
import { sql } from "kysely";

const maxPauseMs = 100;

/**
 * Repeats `probe` until its result is truthy, and returns it. The pauses grow: most probes are requests, which take
 * time from what they wait for.
 */
export async function eventually<T>(
  probe: () => Promise<T> | T,
  what: string,
  limitMs = 20_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + limitMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(1.5 * pauseMs, maxPauseMs)) {
    const value = await probe();
    if (value) return value as NonNullable<T>;
    if (Date.now() > deadline) throw new Error(`waited ${limitMs / 1000} s for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * Makes every process look for due tasks now: for tests that change the time of a task past the queue, which announces
 * it.
 */
export const announceDueTasks = (db: Db) => sql`select pg_notify(${dueChannel}, '0')`.execute(db);
