// An assistant of the tests: the official client of the protocol, connected to `/mcp` or to the command line.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { atEnd } from "@tidings/testkit/at-end";
import { type SharedService, shareService } from "@tidings/testkit/service";

export type Assistant = {
  client: Client;
  /** The text of a tool; fails when the tool refused. */
  ask(tool: string, input?: object): Promise<string>;
  /** The text of a tool that refused. */
  refusal(tool: string, input?: object): Promise<string>;
};

export type Era = "legacy" | "auto";

export async function connect(transport: Transport, era: Era = "auto"): Promise<Assistant> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: era } });
  await client.connect(transport);
  atEnd(() => client.close());
  const call = async (name: string, input: object = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input as Record<string, unknown> });
    const [first, ...rest] = content;
    assert.equal(rest.length, 0);
    assert.equal(first?.type, "text");
    return { text: first.text, isError };
  };
  return {
    client,
    ask: async (tool, input) => {
      const { text, isError } = await call(tool, input);
      assert.equal(isError, false, text);
      return text;
    },
    refusal: async (tool, input) => {
      const { text, isError } = await call(tool, input);
      assert.equal(isError, true, text);
      return text;
    },
  };
}

/** Over HTTP, with a key as a bearer token. */
export const connectTo = ({ url, apiKey }: Pick<SharedService, "url" | "apiKey">, era?: Era): Promise<Assistant> =>
  connect(
    new StreamableHTTPClientTransport(new URL("/mcp", url), {
      requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
    }),
    era,
  );

export const publicUrl = "https://tidings.example.com";

/** A new organisation in a service with a public address, which the links to the dashboard have. */
export const sharePublicService = () => shareService({ TIDINGS_PUBLIC_URL: publicUrl });
