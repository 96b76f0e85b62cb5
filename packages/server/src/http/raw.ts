// Requests that are handed on as they came, for operations that check a signature over their bytes.
import type { RawRequest } from "@tidings/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** For a scope of its own: whatever the type, the body is its bytes. */
export function acceptAnything(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

export const rawRequestOf = (request: FastifyRequest): RawRequest => ({
  url: request.url,
  headers: texts(request.headers),
  bytes: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
});

/** Repeated ones as one text, as HTTP would join them. */
const texts = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat().join(", ")]])),
  );
