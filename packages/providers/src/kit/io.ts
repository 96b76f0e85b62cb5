// The network as an adapter sees it. io/ implements it; tests replace it.

import type { Mail } from "./mail.ts";
import type { Message } from "./message.ts";
import type { HttpReply } from "./reply.ts";
import type { HttpRequest } from "./request.ts";

/** All network access of an adapter. Failures are thrown as SendError. */
export type Io = {
  http(request: HttpRequest): Promise<HttpReply>;
  /** The same over HTTP/2, for providers that speak nothing else. */
  http2(request: HttpRequest): Promise<HttpReply>;
  /** `isUrgent`: its mails do not wait for a connection behind others. */
  smtp(settings: SmtpSettings, isUrgent?: boolean): SmtpPool;
  /** Writes the message to the development mailbox. */
  capture(message: Message): Promise<void>;
  /** Caches a value until it expires, such as an access token. `key` comes from `cacheKey` and holds no secret. */
  cached<T>(key: string, make: () => Promise<Cached<T>>): Promise<T>;
  /** Drops a cached value that the provider no longer accepts. */
  forget(key: string): void;
  now(): Date;
  close(): Promise<void>;
};

export type Cached<T> = {
  value: T;
  expiresAt: Date;
};

export type SmtpSettings = {
  host: string;
  port: number;
  user?: string;
  password?: string;
  /** TLS from the first byte; otherwise STARTTLS when the server offers it. */
  secure?: boolean;
  requireTls?: boolean;
  ignoreTls?: boolean;
  tlsOptions?: { readonly [key: string]: unknown };
  dkim?: { domain: string; selector: string; privateKey: string };
};

/** A pool of connections to one server with one set of settings. */
export type SmtpPool = {
  /**
   * Returns the refused copies with the server's reasons. If the first recipient is refused, the mail is not sent at
   * all.
   */
  send(mail: Mail): Promise<string[]>;
  verify(): Promise<void>;
};
