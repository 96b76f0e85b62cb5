// The network as one value: HTTP, SMTP, the token cache and the development mailbox behind the type `Io`. The caller
// decides how names are resolved, where captured messages are stored and how long a call may take.

import type { Io } from "../kit/io.ts";
import type { Message } from "../kit/message.ts";
import { decidedLocally, errorText, rejected, retry, SendError } from "../kit/outcome.ts";
import { createCache } from "./cache.ts";
import type { Resolve } from "./exchange.ts";
import { createHttp } from "./http.ts";
import { createHttp2 } from "./http2.ts";
import { LookupBusyError } from "./lookup.ts";
import { createSmtp } from "./smtp.ts";

export type IoOptions = {
  /** See `Resolve`. */
  resolveHost: Resolve;
  /** Stores a message for the development mailbox. */
  capture: (message: Message) => Promise<void>;
  /** Limit of one attempt, from resolving the name to the last byte of the response. */
  timeoutMs?: number;
  /** The clock signatures and expiries are read from. */
  now?: () => Date;
};

export function createIo({ resolveHost, capture, timeoutMs = 30_000, now = () => new Date() }: IoOptions): Io {
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
    smtp: smtp.poolOf,
    capture: (message) =>
      capture(message).catch((error: unknown) => {
        throw new SendError(retry(`The message could not be captured: ${errorText(error)}`));
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
}

function resolveFault(error: unknown, host: string): SendError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ADDRESS_REFUSED") return new SendError(decidedLocally(rejected("config", errorText(error))));
  if (error instanceof Error && error.cause instanceof LookupBusyError) {
    return new SendError(decidedLocally(retry(error.cause.message)));
  }
  // An unreachable name server looks the same as a name that does not exist, so the call is retried.
  return new SendError(retry(errorText(error)), code === "HOST_UNRESOLVED" ? host : undefined);
}
