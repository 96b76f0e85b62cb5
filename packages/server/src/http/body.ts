// Request bodies: JSON or nothing. What parses and still cannot be kept is found here, because here the text is at hand
// and looking at it is cheap: the walk through the value is only paid for by texts that give reason to.
import type { FastifyInstance } from "fastify";
import { failure, invalid } from "../failure.ts";

/** Deeper nesting is an attack or a mistake; recursive code, ours and the database's, has to be safe from it. */
const maxDepth = 200;

/** U+0000 and half a surrogate pair reach a JSON text only as escapes, and PostgreSQL stores neither. */
const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/;

export function acceptJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser("remove", "remove");
  server.decorateRequest("mayHoldUnstorableText", false);
  server.removeAllContentTypeParsers();
  // An empty body counts as none; members named `__proto__` are dropped.
  server.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body as string;
    if (text.length === 0) return done(null, undefined);
    request.mayHoldUnstorableText = suspectEscape.test(text);
    parse(request, text, (error, value) => {
      if (error) return done(error);
      if (isDeeperThan(text, maxDepth)) {
        const message = `Request body must not be nested deeper than ${maxDepth} levels`;
        return done(invalid({ general: { messages: [message] } }));
      }
      done(null, value);
    });
  });
  // Some clients name a type although they send nothing.
  server.addContentTypeParser("*", (request, _stream, done) => {
    const isEmpty = request.headers["content-length"] === "0";
    done(isEmpty ? null : failure("UNSUPPORTED_MEDIA_TYPE", {}), undefined);
  });
}

/** Counts open brackets outside strings in a text that is known to be JSON. */
function isDeeperThan(text: string, limit: number): boolean {
  if (text.length < 2 * limit) return false;
  let depth = 0;
  let isString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (isString) {
      if (character === 0x5c) i++;
      else if (character === 0x22) isString = false;
    } else if (character === 0x22) isString = true;
    else if (character === 0x5b || character === 0x7b) {
      if (++depth > limit) return true;
    } else if (character === 0x5d || character === 0x7d) depth--;
  }
  return false;
}

declare module "fastify" {
  interface FastifyRequest {
    mayHoldUnstorableText: boolean;
  }
}
