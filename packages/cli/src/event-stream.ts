// Server-sent events over `fetch`, as the service writes them.
export type ServerEvent = { name: string; data: string };

/** Longest event that is read. */
const maxCharacters = 4_000_000;

/** The events of a response, until it ends. */
export async function* readServerEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of body) {
    rest += decoder.decode(part, { stream: true }).replaceAll("\r\n", "\n");
    if (rest.length > maxCharacters) throw new Error("The service sent an event that is too long.");
    const blocks = rest.split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const event = readBlock(block);
      if (event) yield event;
    }
  }
}

/** Null for a comment, which keeps the connection open. */
function readBlock(block: string): ServerEvent | null {
  const lines = block.split("\n");
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ""));
  const data = valuesOf("data");
  return data.length === 0 ? null : { name: valuesOf("event").at(-1) ?? "message", data: data.join("\n") };
}
