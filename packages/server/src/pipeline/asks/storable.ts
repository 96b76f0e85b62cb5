// What the database can store of a response.

const deepest = 64;

/** Why the database could not store the response. */
export function storeFault(body: unknown): string | null {
  if (isTooDeep(body, deepest)) return `its response is nested deeper than ${deepest} levels`;
  // JSON.stringify escapes zero bytes and lone surrogates, and nothing else that PostgreSQL refuses.
  const isRefused = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(JSON.stringify(body));
  return isRefused ? "its response has characters that cannot be stored" : null;
}

const isTooDeep = (value: unknown, left: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((member) => isTooDeep(member, left - 1)));
