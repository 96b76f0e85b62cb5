// Parsers of requests: JSON bodies, raw bodies, query strings. Some JSON texts parse and still cannot be stored; they
// are found here, because the text is at hand: only a suspicious text pays for the walk through its value.
import { parse as splitQuery } from "node:querystring";
import type { FastifyInstance } from "fastify";
import { failure, invalid } from "../../failure.ts";

/** Deeper nesting is an attack or a mistake. Recursive code, ours and the database's, has to be safe from it. */
const maxDepth = 200;

/** JSON texts can hold U+0000 and half a surrogate pair as escapes only; PostgreSQL stores neither. */
const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/** Members that are dropped, or that may be written with escapes: the text may say more than its value. */
const mayHoldDroppedMembers = /__proto__|"constructor"|\\u00[567]/;

/** Some clients begin a body with a byte order mark. Fastify's parser removes one; JSON.parse refuses it. */
const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/** An empty body counts as none; members named `__proto__` are dropped. */
export function acceptJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser("remove", "remove");
  server.decorateRequest("mayHoldUnstorableText", false);
  server.decorateRequest("text", null);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body as string;
    if (text.length === 0) return done(null, undefined);
    request.mayHoldUnstorableText = suspectEscape.test(text);
    if (request.routeOptions.config.keepsText && !mayHoldDroppedMembers.test(text)) request.text = withoutMark(text);
    parse(request, text, (error, value) => {
      if (error) return done(error);
      if (isDeeperThan(value, maxDepth)) {
        const message = `Request body must not be nested deeper than ${maxDepth} levels`;
        return done(invalid({ general: { messages: [message] } }));
      }
      done(null, value);
    });
  });
  refuseOtherTypes(server, "UNSUPPORTED_MEDIA_TYPE");
}

/** Some clients send a content type although they send no body: that is not an error. */
export function refuseOtherTypes(server: FastifyInstance, code: "UNSUPPORTED_MEDIA_TYPE" | "MULTIPART_REQUIRED"): void {
  server.addContentTypeParser("*", (request, _stream, done) => {
    const isEmpty = request.headers["content-length"] === "0";
    done(isEmpty ? null : failure(code, {}), undefined);
  });
}

/** For routes that check a signature over the body: whatever the content type, the body is its bytes. */
export function acceptRaw(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((one) => isDeeperThan(one, limit - 1));
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], limit - 1)) return true;
  }
  return false;
}

/** `name[0][]=` is a list of lists. */
const groupName = /^(.+)\[(\d{1,4})\]\[\d*\]$/;

/**
 * Repeated parameters become lists; `name[]=` and `name[0]=` mean the same as repeating `name`, and
 * `name[0][]=a&name[1][]=b` is a list of lists. No parameter is dropped: the size of a request's head is the only
 * limit.
 */
export function parseQueryString(text: string): Record<string, QueryValue> {
  const result: Record<string, QueryValue> = Object.create(null);
  const groups = new Map<string, string[]>();
  const append = (name: string, values: (string | string[])[], isList: boolean): void => {
    const before = result[name];
    if (Array.isArray(before)) before.push(...values);
    else if (before !== undefined) result[name] = [before, ...values];
    else result[name] = !isList && values.length === 1 ? values[0]! : values;
  };
  for (const [rawName, value] of Object.entries(splitQuery(text, "&", "=", { maxKeys: 0 }))) {
    if (value === undefined) continue;
    const values = [value].flat();
    const [, groupedName, index] = groupName.exec(rawName) ?? [];
    if (groupedName === undefined) {
      const name = rawName.replace(/\[\d*\]$/, "");
      append(name, values, name !== rawName);
      continue;
    }
    const known = groups.get(`${groupedName} ${index}`);
    if (known) known.push(...values);
    else {
      groups.set(`${groupedName} ${index}`, values);
      append(groupedName, [values], true);
    }
  }
  return result;
}

type QueryValue = string | (string | string[])[];

declare module "fastify" {
  interface FastifyRequest {
    mayHoldUnstorableText: boolean;
    /** The text of the body, where the route keeps it and JSON.parse makes the same value of it. */
    text: string | null;
  }
  interface FastifyContextConfig {
    keepsText?: boolean;
  }
}
