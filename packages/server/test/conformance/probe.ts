// A client that keeps the text of its last response, since byte-identical means the text and not what it parses to.
import type { OperationId } from "@tidings/contract";
import { type Answer, createClient, type RawInput } from "@tidings/testkit/client";

export type Probe = (id: OperationId, input: RawInput) => Promise<Answer<unknown> & { text: string }>;

export function createProbe(baseUrl: string, apiKey: string): Probe {
  return async (id, input) => {
    let text = "";
    const keep: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      text = await response.clone().text();
      return response;
    };
    const answer = await createClient({ baseUrl, apiKey, fetch: keep }).raw(id, input);
    return { ...answer, text };
  };
}
