// The network, as one value. Whoever runs providers decides here how names are resolved, where captured messages go
// and how long a call may take; a provider only ever sees the result.

import type { Message } from "../message.ts";
import { rejected, retry, SendFault, unasked } from "../outcome.ts";
import type { Io } from "../provider.ts";
import { createCache } from "./cache.ts";
import { createHttp, type Resolve } from "./http.ts";
import { createHttp2 } from "./http2.ts";
import { LookupCrowded } from "./lookup.ts";
import { createSmtp } from "./smtp.ts";

/**
 * Gives an address that may be connected to. It rejects with an error whose `code` is HOST_UNRESOLVED when the name
 * is unknown and ADDRESS_REFUSED when its address is not allowed.
 */
export type ResolveHost = Resolve;

export interface IoOptions {
  resolveHost: ResolveHost;
  /** Stores a message for the development mailbox. */
  capture: (message: Message) => Promise<void>;
  /** Limit of one attempt, from resolving the name to the last byte of the answer. */
  timeoutMs?: number;
  /** The clock signatures and expiries are read from. */
  now?: () => Date;
}

export const createIo = ({ resolveHost, capture, timeoutMs = 30_000, now = () => new Date() }: IoOptions): Io => {
  const resolve: Resolve = (host) =>
    resolveHost(host).catch((error: unknown) => {
      throw resolveFault(error, host);
    });
  const http = createHttp(resolve, timeoutMs);
  const http2 = createHttp2(resolve, timeoutMs);
  const smtp = createSmtp(resolve, timeoutMs);
  const { cached, forget } = createCache(now);
  return {
    http: http.call,
    http2: http2.call,
    smtp: smtp.line,
    capture: (message) =>
      capture(message).catch((error: unknown) => {
        throw new SendFault(retry(`The message could not be captured: ${textOf(error)}`));
      }),
    cached,
    forget,
    now,
    close: async () => {
      http.close();
      http2.close();
      smtp.close();
    },
  };
};

const resolveFault = (error: unknown, host: string): SendFault => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ADDRESS_REFUSED") return new SendFault(unasked(rejected("config", textOf(error))));
  if (error instanceof Error && error.cause instanceof LookupCrowded) {
    return new SendFault(unasked(retry(error.cause.message)));
  }
  // A name server that is away looks the same as a name that does not exist, so a repeat is worth its while.
  return new SendFault(retry(textOf(error)), code === "HOST_UNRESOLVED" ? host : undefined);
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
