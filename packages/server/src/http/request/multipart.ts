// Uploads: a strict and bounded parser of multipart/form-data (RFC 7578). A form becomes a JSON value (texts unchanged,
// files as `UploadedFile`), so that validation and idempotency work as for JSON bodies: two requests with the same
// content are equal, whatever boundary the client has chosen.
//
// Written here because @fastify/busboy drops malformed parts and headers without an error, and takes a content line
// that begins like the boundary for one (docs/decisions/0010-own-multipart-parser.md).
import type { Operation, UploadedFile } from "@tidings/contract";
import type { FastifyInstance } from "fastify";
import { failure } from "../../failure.ts";
import { refuseOtherTypes } from "./parsers.ts";

export type FormPart = { name: string; fileName: string | null; contentType: string; bytes: Buffer };

/** The message continues "Request body is not valid multipart/form-data: ". */
export class FormError extends Error {}

export const formLimits = {
  parts: 200,
  headerBytes: 8 * 1024,
  headersPerPart: 16,
  nameLength: 255,
  textBytes: 64 * 1024,
} as const;

function refuse(reason: string): never {
  throw new FormError(reason);
}

/** For the scopes of routes with uploads, which accept forms only. */
export function acceptForms(server: FastifyInstance, operation: Operation): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("multipart/form-data", { parseAs: "buffer" }, (request, body, done) => {
    try {
      const parts = parseForm(body as Buffer, readBoundary(request.headers["content-type"] ?? ""));
      const value = bodyOf(parts, operation);
      request.mayHoldUnstorableText = parts.some((part) => part.fileName === null && part.bytes.includes(0));
      done(null, value);
    } catch (error) {
      done(error instanceof FormError ? failure("MALFORMED_FORM", { reason: error.message }) : (error as Error));
    }
  });
  refuseOtherTypes(server, "MULTIPART_REQUIRED");
}

/** The form as a JSON value. A name whose schema is a list collects its parts; `name[]` means the same as `name`. */
function bodyOf(parts: FormPart[], operation: Operation): Record<string, unknown> {
  const properties = (operation.body as { properties?: Record<string, { type?: unknown }> }).properties ?? {};
  const values = new Map<string, (string | UploadedFile)[]>();
  for (const part of parts) {
    // Browsers send this for a file field without a chosen file.
    if (part.fileName === "" && part.bytes.length === 0) continue;
    const name = part.name.replace(/\[\d*\]$/, "");
    values.set(name, [...(values.get(name) ?? []), fieldValue(part)]);
  }
  values.delete("__proto__");
  return Object.fromEntries(
    [...values].map(([name, all]) => {
      const isList = Object.hasOwn(properties, name) && properties[name]?.type === "array";
      return [name, isList || all.length > 1 ? all : all[0]];
    }),
  );
}

function fieldValue({ name, fileName, contentType, bytes }: FormPart): string | UploadedFile {
  if (fileName !== null) return { fileName, contentType, bytes: bytes.toString("latin1") };
  if (bytes.length > formLimits.textBytes) refuse(`field ${name} is longer than ${formLimits.textBytes} bytes`);
  return decode(bytes, `field ${name}`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse(`${what} is not UTF-8`);
  }
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** `; name=value` or `; name="value"`; inside quotes only a quote and a backslash can be escaped. */
const parameter = new RegExp(`;[ \\t]*(${token}\\*?)=(?:(${token})|"((?:[^"\\\\\\r\\n]|\\\\.)*)")[ \\t]*`, "y");

function readParameters(text: string, from: number): Map<string, string> {
  const found = new Map<string, string>();
  parameter.lastIndex = from;
  for (let at = from; at < text.length; at = parameter.lastIndex) {
    const match = parameter.exec(text) ?? refuse("a header has a parameter that cannot be read");
    const name = match[1]!.toLowerCase();
    if (found.has(name)) refuse(`a header has the parameter ${name} twice`);
    found.set(name, match[2] ?? match[3]!.replace(/\\(["\\])/g, "$1"));
  }
  return found;
}

const boundaryForm = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

export function readBoundary(contentType: string): string {
  const start = contentType.indexOf(";");
  const boundary = start < 0 ? undefined : readParameters(contentType.trimEnd(), start).get("boundary");
  if (boundary === undefined) return refuse("the Content-Type has no boundary");
  return boundaryForm.test(boundary) ? boundary : refuse("the boundary has an invalid format");
}

const [cr, lf, dash, space, tab] = [0x0d, 0x0a, 0x2d, 0x20, 0x09];

/** Parses a form in linear time. */
export function parseForm(body: Buffer, boundary: string): FormPart[] {
  const opening = Buffer.from(`--${boundary}`, "latin1");
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  if (!body.subarray(0, opening.length).equals(opening)) refuse("it does not begin with its boundary");

  const parts: FormPart[] = [];
  let at = afterDelimiter(body, opening.length) ?? refuse("a boundary is not followed by a line end");
  while (at.kind === "part") {
    if (parts.length === formLimits.parts) refuse(`it has more than ${formLimits.parts} parts`);
    const { headers, end } = readHeaders(body, at.from);
    // In a part without content, the line end of the delimiter is the empty line behind the headers.
    let search = end - 2;
    let next: AfterBoundary | null = null;
    let stop = 0;
    while (next === null) {
      stop = body.indexOf(delimiter, search);
      if (stop < 0) refuse("it has no closing boundary");
      // A line that only begins like the boundary is content.
      next = afterDelimiter(body, stop + delimiter.length);
      search = stop + 1;
    }
    parts.push(toPart(headers, body.subarray(end, Math.max(end, stop))));
    at = next;
  }
  return parts;
}

type AfterBoundary = { kind: "part"; from: number } | { kind: "end" };

/** A boundary is followed by a line end or, at the end of the form, by two dashes. Null when it is content. */
function afterDelimiter(body: Buffer, from: number): AfterBoundary | null {
  const isEnd = body[from] === dash && body[from + 1] === dash;
  let at = isEnd ? from + 2 : from;
  while (body[at] === space || body[at] === tab) at++;
  const isLineEnd = body[at] === cr && body[at + 1] === lf;
  if (!isEnd) return isLineEnd ? { kind: "part", from: at + 2 } : null;
  const end = isLineEnd ? at + 2 : at;
  return end === body.length ? { kind: "end" } : null;
}

const headerLine = new RegExp(`^(${token}):(.*)$`, "s");

function readHeaders(body: Buffer, from: number): { headers: Map<string, string>; end: number } {
  const headers = new Map<string, string>();
  for (let at = from; ; ) {
    const stop = body.indexOf("\r\n", at, "latin1");
    if (stop < 0 || stop - from > formLimits.headerBytes) {
      refuse(`the headers of a part do not end within ${formLimits.headerBytes} bytes`);
    }
    if (stop === at) return { headers, end: stop + 2 };
    const line = decode(body.subarray(at, stop), "a header");
    const [, name = "", value = ""] = headerLine.exec(line) ?? refuse("a header cannot be read");
    if (headers.has(name.toLowerCase())) refuse(`a part has the header ${name} twice`);
    headers.set(name.toLowerCase(), value.trim());
    if (headers.size > formLimits.headersPerPart) refuse(`a part has more than ${formLimits.headersPerPart} headers`);
    at = stop + 2;
  }
}

/** Browsers escape exactly three characters in names: quote, carriage return and line feed. */
const unescapeName = (text: string): string =>
  text.replace(/%(22|0[dD]|0[aA])/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

function toPart(headers: Map<string, string>, bytes: Buffer): FormPart {
  const disposition = headers.get("content-disposition") ?? "";
  if (!/^form-data[ \t]*(;|$)/i.test(disposition)) refuse("a part is not form-data");
  const start = disposition.indexOf(";");
  const parameters = start < 0 ? new Map<string, string>() : readParameters(disposition, start);
  const name = unescapeName(parameters.get("name") ?? "");
  if (name === "") refuse("a part has no name");
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!["7bit", "8bit", "binary"].includes(encoding)) refuse(`the encoding ${encoding} is not supported`);
  const given = parameters.get("filename");
  // Some clients send the path of the file; its last part is the name.
  const fileName = given === undefined ? null : unescapeName(given).split(/[/\\]/).at(-1)!;
  const contentType = headers.get("content-type") ?? "text/plain";
  for (const text of [name, fileName ?? ""]) {
    if (text.length > formLimits.nameLength) refuse(`a name is longer than ${formLimits.nameLength} characters`);
  }
  // The database stores no text with this character.
  if ([name, fileName, contentType].some((text) => text?.includes("\0"))) refuse("a header has the character NUL");
  return { name, fileName, contentType, bytes };
}
