// Errors of the database itself, as opposed to a statement that it refuses: it cannot be reached, its disk is full,
// another session holds a lock. The work was rolled back and may be repeated, so callers get 503 and tasks return to
// the queue.

export const databaseFaults = [
  "unreachable",
  "disk_full",
  /** Out of memory, of connections, or of another resource. */
  "exhausted",
  /** Another transaction held a lock for longer than the lock timeout of the connection. */
  "locked",
  /** A statement took longer than the timeout of the connection. */
  "slow",
  /** A deadlock or another conflict, even after repeats. */
  "conflict",
] as const;
export type DatabaseFault = (typeof databaseFaults)[number];

const faultsByCode: Record<string, DatabaseFault> = {
  "53100": "disk_full",
  "53300": "unreachable",
  // An error of the file system. A full disk has its own code.
  "58030": "exhausted",
  "55P03": "locked",
  "57014": "slow",
  "25P03": "slow",
  "25P04": "slow",
  "40P01": "conflict",
  "40001": "conflict",
  // A standby: the primary has moved, and the address does not lead to it yet.
  "25006": "unreachable",
};

const connectionCodes = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN", "ENOTFOUND", "EAI_AGAIN"],
]);

const connectionMessages =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|not queryable|Query read timeout/i;

/** Null for an error that is not an error of the database. */
export function findDatabaseFault(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null;
  const code = (error as Error & { code?: string }).code ?? "";
  const known = Object.hasOwn(faultsByCode, code) ? faultsByCode[code]! : null;
  if (known) return known;
  if (connectionCodes.has(code)) return "unreachable";
  // Class 08: connection exceptions; 57P01-57P05: shutting down, starting up; class 53: resources.
  if (code.startsWith("08") || code.startsWith("57P")) return "unreachable";
  if (/^53\d{3}$/.test(code)) return "exhausted";
  // 55000 also covers other errors; here it means a database closed for connections (maintenance).
  if (code === "55000" && error.message.includes("not currently accepting connections")) return "unreachable";
  if (error instanceof AggregateError) return error.errors.map(findDatabaseFault).find((one) => one !== null) ?? null;
  return connectionMessages.test(error.message) ? "unreachable" : null;
}

/**
 * Whether the database caused the error, and the work did not. A statement that takes too long, needs too much memory
 * or conflicts with others may do so because of what it does: smaller parts of it may succeed.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const fault = findDatabaseFault(error);
  return fault === "unreachable" || fault === "disk_full" || fault === "locked";
}
