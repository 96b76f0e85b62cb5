// Parsers of settings: each takes the text of an environment variable and returns its value, or throws what is wrong
// with it.
import { availableParallelism } from "node:os";
import type { InboxOrigin } from "../inbox-origins.ts";
import type { ThreadLimits } from "../load/thread-load.ts";
import { parseDatabaseUrl } from "./database-url.ts";

export function fail(message: string): never {
  throw new Error(message);
}

export const integer = (minimum: number, maximum: number) => (text: string) => {
  const value = Number(text);
  const isValid = /^\d+$/.test(text) && value >= minimum && value <= maximum;
  return isValid ? value : fail(`must be a whole number from ${minimum} to ${maximum}`);
};

export const word =
  <const V extends readonly string[]>(values: V) =>
  (text: string): V[number] =>
    values.includes(text) ? text : fail(`must be one of: ${values.filter(Boolean).join(", ")}`);

export function timeZone(text: string): string {
  // The default is known: the first question to Intl takes 20 ms, before PostgreSQL is started.
  if (text === "UTC") return text;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }) && text;
  } catch {
    return fail("must be an IANA time zone such as Europe/Berlin");
  }
}

/** One-click unsubscribe requires https (RFC 8058); http is accepted for this machine only, to try it out. */
export function publicUrl(text: string): string {
  if (text === "") return "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === "http:" && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password && text.length <= 200;
  if (!isPlain || (url.protocol !== "https:" && !isLocal)) {
    return fail("must be an https:// address without user, query or fragment, such as https://notify.example.com");
  }
  return url.href.replace(/(?<!\/)\/+$/, "");
}

export const onOff = (text: string): boolean => word(["on", "off"])(text) === "on";
const maxThreads = 64;
/** With more, PostgreSQL is the limit, or better served by more processes. */
const maxThreadsUnlessAsked = 4;

/** `auto`, `2` or `1-4`. */
export function threadLimits(text: string): ThreadLimits {
  if (text === "auto") return { min: 1, max: Math.min(maxThreadsUnlessAsked, availableParallelism()) };
  const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(text) ?? [];
  const [min, max] = [Number(first), Number(last)];
  const isValid = min >= 1 && min <= max && max <= maxThreads;
  return isValid ? { min, max } : fail(`must be auto, a whole number from 1 to ${maxThreads}, or a range such as 1-4`);
}

export const databaseUrl = (text: string): string => (text === "" ? "" : parseDatabaseUrl(text) && text);

export const rate = integer(0, 10_000_000);
export const bytes = integer(1024, 1024 * 1024 * 1024);

/** `https://app.example.com` for all environments, `production=https://app.example.com` for one of them. */
export function inboxOrigins(text: string): InboxOrigin[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts
    .filter((part) => part !== "")
    .map((part) => {
      const [, environment = null, given = ""] = /^(?:([^=:/]+)=)?(.*)$/.exec(part)!;
      const origin = URL.canParse(given) ? new URL(given).origin : "null";
      if (origin === "null" || origin !== given) {
        return fail("must be a list of origins such as https://app.example.com or production=https://app.example.com");
      }
      return { environment, origin };
    });
}

export const shortText = (text: string): string =>
  text.length <= 500 ? text : fail("must not be longer than 500 characters");

/** The address that the issuer calls itself, without a slash at its end unless the issuer has one. */
export function issuerUrl(text: string): string {
  if (text === "") return "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === "http:" && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  return isPlain && (url.protocol === "https:" || isLocal)
    ? text
    : fail("must be an https:// address without user, query or fragment, such as https://accounts.google.com");
}

/** `example.com, example.org`, in lower case. */
export function domains(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim().toLowerCase());
  const named = parts.filter((part) => part !== "");
  const isDomain = (part: string) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(part);
  return named.every(isDomain) ? named : fail("must be a list of domains such as example.com,example.org");
}

/** `smtps://user:password@mail.example.com` or `smtp://…:587`. Empty: none. */
export function mailServer(text: string) {
  if (text === "") return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.hostname !== "" && /^\/?$/.test(url.pathname) && !url.search && !url.hash;
  // What is percent-encoded must decode.
  const isReadable = !/%(?![\da-f]{2})/i.test(text);
  if (!isPlain || !isReadable || !/^smtps?:$/.test(url.protocol)) {
    return fail("must be an address such as smtps://user:password@mail.example.com:465");
  }
  const isSecure = url.protocol === "smtps:";
  const password = decodeURIComponent(url.password);
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 465 : 587),
    user: decodeURIComponent(url.username),
    password,
    secure: isSecure,
    // A password never crosses a network in clear text.
    requireTls: password !== "" && !isLocal,
  };
}

/** `notify@example.com` or `Tidings <notify@example.com>`. */
export function mailbox(text: string) {
  if (text === "") return null;
  const [, name = "Tidings", address = text] = /^([^<>@]{1,100})<([^<>]{1,320})>$/.exec(text) ?? [];
  if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address)) {
    return fail("must be an email address such as Tidings <notify@example.com>");
  }
  return { name: name.trim(), address };
}
