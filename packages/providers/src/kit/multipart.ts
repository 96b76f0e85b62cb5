// Bodies of type multipart/form-data (RFC 7578), as bytes. The boundary follows from a given text, normally the message
// id, so that a retry sends the same bytes.

import { createHash } from "node:crypto";

export type Part =
  | { name: string; value: string }
  | { name: string; filename: string; type: string; content: Uint8Array };

export type Multipart = {
  /** What the boundary is derived from. */
  seed: string;
  parts: readonly Part[];
};

export function encodeMultipart({ seed, parts }: Multipart): { type: string; body: Uint8Array } {
  const bodies = parts.map((part) => Buffer.from("value" in part ? part.value : part.content));
  const boundary = freeBoundary(seed, bodies);
  const chunks = parts.flatMap((part, index) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`),
    bodies[index] ?? Buffer.alloc(0),
    Buffer.from("\r\n"),
  ]);
  const body = new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]));
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

// A boundary that occurs in the content would end its part early, so the next one is derived from it by hashing.
function freeBoundary(seed: string, bodies: readonly Buffer[]): string {
  const boundary = `tidings-${createHash("sha256").update(seed).digest("hex").slice(0, 40)}`;
  return bodies.some((body) => body.includes(boundary)) ? freeBoundary(boundary, bodies) : boundary;
}

function headOf(part: Part): string {
  const disposition = `Content-Disposition: form-data; name="${quotable(part.name)}"`;
  if ("value" in part) return disposition;
  const type = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(part.type) ? part.type : "application/octet-stream";
  return `${disposition}; filename="${quotable(part.filename)}"\r\nContent-Type: ${type}`;
}

// As browsers do it: a quote or a line break would end the name or the header.
const quotable = (text: string): string =>
  text.replace(/\r|\n|"/g, (mark) => ({ "\r": "%0D", "\n": "%0A" })[mark] ?? "%22");

const unquoted = (text: string): string =>
  text.replace(/%0D|%0A|%22/g, (code) => ({ "%0D": "\r", "%0A": "\n" })[code] ?? '"');

/** Reads back what `encodeMultipart` wrote. */
export function decodeMultipart(type: string, body: Uint8Array): Part[] {
  const delimiter = Buffer.from(`--${/boundary=([^;]+)/.exec(type)?.[1] ?? ""}`);
  const bytes = Buffer.from(body);
  const parts: Part[] = [];
  let start = bytes.indexOf(delimiter);
  for (let end = next(bytes, delimiter, start); end >= 0; end = next(bytes, delimiter, start)) {
    const section = bytes.subarray(start + delimiter.length + 2, end - 2);
    const split = section.indexOf("\r\n\r\n");
    parts.push(toPart(section.subarray(0, split).toString(), section.subarray(split + 4)));
    start = end;
  }
  return parts;
}

const next = (bytes: Buffer, delimiter: Buffer, start: number): number =>
  start < 0 ? -1 : bytes.indexOf(delimiter, start + delimiter.length);

function toPart(head: string, content: Buffer): Part {
  const name = unquoted(/ name="([^"]*)"/.exec(head)?.[1] ?? "");
  const filename = / filename="([^"]*)"/.exec(head)?.[1];
  if (filename === undefined) return { name, value: content.toString() };
  const type = /Content-Type: (.+)/.exec(head)?.[1] ?? "";
  return { name, filename: unquoted(filename), type, content: new Uint8Array(content) };
}
