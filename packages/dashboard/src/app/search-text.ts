// Search parameters as people read and write them: `?q=4711`. All are texts but the page.

export function parseSearch(text: string): Record<string, unknown> {
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, read(name, value)]));
}

function read(name: string, value: string): unknown {
  if (name === "page") return Number(value);
  // As older links have it, and texts that begin with a quote.
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined) continue;
    const isQuoted = typeof value === "object" || String(value).startsWith('"');
    params.set(name, isQuoted ? JSON.stringify(value) : String(value));
  }
  return params.size > 0 ? `?${params}` : "";
}
