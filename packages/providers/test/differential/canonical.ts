// A request without what does not matter, as a flat list of places and values, so that two of them can be compared
// place by place: "body.personalizations.0.to.0.email" → "ada@example.com".

import type { JsonObject } from "@tidings/contract";
import { decodeMultipart } from "../../src/kit/multipart.ts";
import type { Seen } from "../conformance/stage.ts";

export type Canonical = Map<string, string>;

export type Difference = {
  place: string;
  ours: string | undefined;
  theirs: string | undefined;
};

// How the connection is used, how an SDK presents itself, and what follows from the time and the body of a call.
const noise = [
  /^(accept|accept-encoding|accept-language|connection|content-length|host|sec-fetch-mode|transfer-encoding)$/,
  /^(user-agent|x-amz-user-agent|amz-sdk-.*|x-fern-.*)$/,
  /^(x-amz-date|x-amz-content-sha256)$/,
];

export function canonical({ method, url, headers, body }: Seen): Canonical {
  const { origin, pathname, searchParams } = new URL(url);
  const places: Canonical = new Map([
    ["method", method],
    ["address", `${origin}${decodeURIComponent(pathname)}`],
  ]);
  if (searchParams.size > 0) flatten(places, "query", grouped([...searchParams]));
  for (const [name, value] of Object.entries(headers)) {
    if (!noise.some((pattern) => pattern.test(name))) places.set(`header ${name}`, headerValue(name, value));
  }
  flatten(places, "body", decodeBody(headers["content-type"] ?? "", body));
  return places;
}

/** The request with everything below one place at another; undefined when there is nothing. */
export function move(places: Canonical, from: string, to: string): Canonical | undefined {
  const isBelow = (place: string) => place === from || place.startsWith(`${from}.`);
  if (![...places.keys()].some(isBelow)) return undefined;
  return new Map(
    [...places].map(([place, value]) => [isBelow(place) ? `${to}${place.slice(from.length)}` : place, value]),
  );
}

/** What two requests do not share, in the order of the places. */
export function compare(ours: Canonical, theirs: Canonical): Difference[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .map((place) => ({ place, ours: ours.get(place), theirs: theirs.get(place) }))
    .filter((one) => one.ours !== one.theirs)
    .toSorted((a, b) => a.place.localeCompare(b.place));
}

function headerValue(name: string, value: string): string {
  // The boundary is anything; the character set of JSON is UTF-8, said or not.
  if (name === "content-type") return value.replace(/;.*/, "").toLowerCase();
  if (name !== "authorization") return value;
  // A signature covers the time and the headers that were sent: what remains is the scheme, the key and its scope.
  const signed = /^(AWS4-HMAC-SHA256) Credential=([^/]+)\/\d+\/([^,]+),/.exec(value);
  return signed ? signed.slice(1).join(" ") : value;
}

function decodeBody(type: string, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (/\bjson\b/.test(type)) return JSON.parse(body.toString());
  if (type.startsWith("application/x-www-form-urlencoded")) return grouped([...new URLSearchParams(body.toString())]);
  if (!type.startsWith("multipart/form-data")) return body.toString();
  return grouped(
    decodeMultipart(type, body).map((part): [string, unknown] => {
      if ("value" in part) return [part.name, part.value];
      return [part.name, { filename: part.filename, type: part.type, content: hex(part.content) }];
    }),
  );
}

const hex = (content: Uint8Array): string => Buffer.from(content).toString("hex");

/** Fields by name; one that is repeated is a list. Their order among other fields does not matter. */
function grouped(fields: readonly [string, unknown][]): JsonObject {
  const lists = Object.entries(Object.groupBy(fields, ([name]) => name));
  const values = lists.map(([name, list = []]) => [
    name,
    list.length > 1 ? list.map(([, value]) => value) : list[0]?.[1],
  ]);
  return Object.fromEntries(values);
}

function flatten(places: Canonical, place: string, value: unknown): void {
  // A member that is null says no more than one that is not there.
  if (value === undefined || value === null) return;
  if (typeof value !== "object") return void places.set(place, JSON.stringify(value));
  const members = Object.entries(value);
  // Told apart from each other and from nothing at all.
  if (members.length === 0) places.set(place, Array.isArray(value) ? "[]" : "{}");
  for (const [name, member] of members) flatten(places, `${place}.${name}`, member);
}
