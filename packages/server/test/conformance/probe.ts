// A client that keeps the text of its responses, since byte-identical means the text and not what it parses to.
import type { OperationId } from "@tidings/contract";
import { type Answer, createClient, type RawInput } from "@tidings/testkit/client";

export type Probe = (id: OperationId, input: RawInput) => Promise<Answer<unknown> & { text: string }>;

type Target = { url: string; apiKey: string; fetch?: typeof globalThis.fetch };

export function createProbe({ url, apiKey, fetch = globalThis.fetch }: Target): Probe {
  const texts = new WeakMap<Headers, string>();
  const keep: typeof globalThis.fetch = async (...args) => {
    const response = await fetch(...args);
    const text = await response.text();
    texts.set(response.headers, text);
    // A body can be read once, so the client gets the text that was read.
    return Object.assign(response, { text: async () => text });
  };
  const client = createClient({ baseUrl: url, apiKey, fetch: keep });
  return async (id, input) => {
    const answer = await client.raw(id, input);
    return { ...answer, text: texts.get(answer.headers)! };
  };
}
