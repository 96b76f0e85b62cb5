// The path and query of a request.

export function fillPath(path: string, params: object = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((params as Record<string, unknown>)[name] ?? "");
    // URL parsers resolve "." and ".." even when percent-encoded, and an empty part names the list instead of the
    // record: each would silently address another resource.
    if (["", ".", ".."].includes(value)) throw new TypeError(`${name} cannot be "${value}" in a path`);
    return encodeURIComponent(value);
  });
}

/** `?name=value&…`, with lists as repeated names; empty without values. */
export function queryText(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  return search.toString() && `?${search}`;
}
