// The limit of open files of a process: every connection is one.

/** Files and connections in addition to clients' live connections: the database, providers, requests. */
const othersNeeded = 1_000;

/** The soft limit out of the text of /proc/self/limits; null where it is unlimited or not there. */
export function readOpenFileLimit(limits: string): number | null {
  const [, soft] = /^Max open files\s+(\d+)\s/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** Null when the limit is high enough for so many live connections. */
export function findFileShortage(limits: string, liveConnections: number): { limit: number; needed: number } | null {
  const limit = readOpenFileLimit(limits);
  const needed = liveConnections + othersNeeded;
  return limit !== null && limit < needed ? { limit, needed } : null;
}
