// Requests that end before they are one: a head that is too large, bytes that are not HTTP, a client that is too slow.
// There is no request to answer yet, only a connection: the answer is written to it by hand, and it is closed.
import type { Socket } from "node:net";
import { type ErrorCode, errorCatalogue } from "@tidings/contract";

/** Request line and headers together. */
export const maxHeadBytes = 16_384;

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

const phrases: Partial<Record<ErrorCode, string>> = {
  HEADERS_TOO_LARGE: "Request Header Fields Too Large",
  REQUEST_TIMEOUT: "Request Timeout",
};

export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  // A client that went away wants no answer.
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy(error);
  const code = codes[error.code ?? ""] ?? "MALFORMED_REQUEST";
  const { status, message } = errorCatalogue[code];
  const body = JSON.stringify({ statusCode: status, timestamp: new Date().toISOString(), path: "", message, code });
  const head = [
    `HTTP/1.1 ${status} ${phrases[code] ?? "Bad Request"}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "cache-control: no-store",
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
