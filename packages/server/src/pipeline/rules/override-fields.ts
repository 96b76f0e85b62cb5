// The members of an override object that the service reads itself, validated before a message is created; all other
// members go to the provider under its own names. An invalid member fails the step with an error that names it: a
// message must not be sent with only some of its overrides, and a line break must not get into a header.
import { parseMailbox } from "@tidings/providers/mail";
import { isObject, type JsonObject, jsonBytes } from "../../lib/json.ts";
import type { ProviderExtras } from "../run/run.ts";

/** An override that is not valid. */
export class OverrideError extends Error {}

export const maxAddresses = 50;
const maxHeaders = 50;
const maxName = 200;
/** RFC 5322, 2.1.1: name and value share a line when the value cannot be folded. */
const maxHeaderLine = 998;
/** Stored with every message. */
const maxExtraBytes = 65_536;

export type EmailOverride = ProviderExtras & {
  to: string[];
  /** Replaces the subscriber's own address. */
  toRecipient?: string;
  replacesTo: boolean;
  cc?: string[];
  bcc?: string[];
  from?: string;
  senderName?: string;
  replyTo?: string;
  headers?: Record<string, string>;
  text?: string;
  customData?: JsonObject;
};

export function readEmailOverride(given: JsonObject): EmailOverride {
  const {
    to,
    toRecipient,
    cc,
    bcc,
    from,
    senderName,
    replyTo,
    text,
    headers,
    replaceToRecipient,
    customData,
    ...rest
  } = given;
  const read = {
    to: readAddresses("to", to) ?? [],
    toRecipient: readAddress("toRecipient", toRecipient),
    cc: readAddresses("cc", cc),
    bcc: readAddresses("bcc", bcc),
    replacesTo: readFlag("replaceToRecipient", replaceToRecipient),
    from: readAddress("from", from),
    senderName: readLine("senderName", senderName, 255),
    replyTo: readAddress("replyTo", replyTo),
    text: readString("text", text),
    headers: headers === undefined ? undefined : readLines("headers", headers, /^[!-9;-~]+$/),
    customData: readData("customData", customData),
    ...readExtras(rest),
  };
  const count = read.to.length + (read.cc?.length ?? 0) + (read.bcc?.length ?? 0);
  if (count > maxAddresses) throw new OverrideError(`to, cc and bcc must not hold more than ${maxAddresses} addresses`);
  return read;
}

/** Members that a step can set too, where the event does not override them. */
export type EmailControls = Pick<EmailOverride, (typeof mailFields)[number]>;

export const mailFields = ["senderName", "replyTo", "cc", "bcc"] as const;

/** Rendered controls: an empty text is not set, and the addresses of a list are separated by commas. */
export function readEmailControls(given: Record<keyof EmailControls, string>): EmailControls {
  const set = (text: string) => (text.trim() === "" ? undefined : text);
  const list = (text: string) => {
    const addresses = text.split(",").filter((address) => address.trim() !== "");
    return addresses.length > 0 ? addresses : undefined;
  };
  return {
    senderName: readLine("senderName", set(given.senderName), 255),
    replyTo: readAddress("replyTo", set(given.replyTo)),
    cc: readAddresses("cc", list(given.cc)),
    bcc: readAddresses("bcc", list(given.bcc)),
  };
}

/** The controls without Liquid that are not valid, for the issues of a step. */
export function* invalidMailFields(controls: JsonObject): Generator<[name: string, message: string]> {
  for (const name of mailFields) {
    const value = controls[name];
    if (typeof value !== "string" || /\{\{|\{%/.test(value)) continue;
    try {
      readEmailControls({ senderName: "", replyTo: "", cc: "", bcc: "", [name]: value });
    } catch (error) {
      if (!(error instanceof OverrideError)) throw error;
      yield [name, error.message];
    }
  }
}

export type SmsOverride = ProviderExtras & { to?: string; from?: string; content?: string };

export function readSmsOverride(given: JsonObject): SmsOverride {
  const { to, from, content, ...rest } = given;
  return {
    to: readLine("to", to, 64),
    from: readLine("from", from, 64),
    content: readString("content", content),
    ...readExtras(rest),
  };
}

export type PushOverride = ProviderExtras & { data?: JsonObject };

export function readPushOverride({ data, ...rest }: JsonObject): PushOverride {
  return { data: readData("data", data), ...readExtras(rest) };
}

function readData(name: string, value: unknown): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw new OverrideError(`${name} must be an object`);
  const size = jsonBytes(value);
  if (size <= maxExtraBytes) return value;
  throw new OverrideError(`${name} must not be larger than ${maxExtraBytes} bytes, it has ${size}`);
}

/** All members that are not read here. */
export function readExtras({ _passthrough: given, integrationIdentifier, ...extra }: JsonObject): ProviderExtras {
  const size = jsonBytes({ extra, given });
  if (size > maxExtraBytes) {
    throw new OverrideError(
      `members for the provider must not be larger than ${maxExtraBytes} bytes, they have ${size}`,
    );
  }
  return {
    extra: Object.keys(extra).length > 0 ? extra : undefined,
    passthrough: given === undefined ? undefined : readPassthrough(given),
  };
}

function readPassthrough(given: unknown): ProviderExtras["passthrough"] {
  if (!isObject(given)) throw new OverrideError("_passthrough must be an object");
  const { body, headers, query } = given;
  if (body !== undefined && !isObject(body)) throw new OverrideError("_passthrough.body must be an object");
  return {
    body,
    headers: headers === undefined ? undefined : readLines("_passthrough.headers", headers, /^[\w!#$%&'*+.^`|~-]+$/),
    query: query === undefined ? undefined : readLines("_passthrough.query", query, /^\P{Cc}+$/u),
  };
}

function readString(name: string, value: unknown): string | undefined {
  if (value !== undefined && typeof value !== "string") throw new OverrideError(`${name} must be a string`);
  return value;
}

function readFlag(name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== "boolean") throw new OverrideError(`${name} must be a boolean`);
  return value ?? false;
}

const hasControls = /\p{Cc}|\u2028|\u2029/u;

function readLine(name: string, value: unknown, maxLength: number): string | undefined {
  const text = readString(name, value)?.trim();
  if (text === undefined) return undefined;
  if (text === "") throw new OverrideError(`${name} must not be empty`);
  if (text.length > maxLength) throw new OverrideError(`${name} must not be longer than ${maxLength} characters`);
  if (hasControls.test(text)) throw new OverrideError(`${name} must not contain line ends or control characters`);
  return text;
}

function readAddress(name: string, value: unknown): string | undefined {
  const text = readLine(name, value, 320);
  if (text !== undefined && !parseMailbox(text)) throw new OverrideError(`${name} must be an email address`);
  return text;
}

/** One address or a list of them. */
function readAddresses(name: string, value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return [readAddress(name, value)!];
  if (value.length > maxAddresses) throw new OverrideError(`${name} must not hold more than ${maxAddresses} addresses`);
  return value.map((one, index) => readAddress(`${name}.${index}`, one ?? null)!);
}

/** A map of single-line texts: headers, query parameters. */
function readLines(name: string, value: unknown, names: RegExp): Record<string, string> {
  if (!isObject(value)) throw new OverrideError(`${name} must be an object`);
  const entries = Object.entries(value);
  if (entries.length > maxHeaders) throw new OverrideError(`${name} must not have more than ${maxHeaders} members`);
  return Object.fromEntries(
    entries.map(([key, text]) => {
      const shown = `${name}.${key.replace(/\p{Cc}/gu, "?").slice(0, 100)}`;
      if (!names.test(key) || key.length > maxName) throw new OverrideError(`${shown} is not a valid name`);
      return [key, readLine(shown, text ?? null, maxHeaderLine - key.length - ": ".length)!];
    }),
  );
}
