// Which credential values are secret, and how they are kept out of text that people will read. Reasons come from
// servers we do not control, and some of them respond to a refused login by quoting it.

import type { CredentialFields, Credentials } from "../kit/credentials.ts";
import type { ChatTarget, Message } from "../kit/message.ts";

/** Members of `tlsOptions` that are as secret as a password. */
export const secretTlsMembers: readonly string[] = ["key", "pfx", "passphrase"];

const maxReason = 400;

/**
 * The secret member names of one provider: its own, and those that are secret for any other provider and that it
 * does not declare itself. Members are shared, so an `apiKey` may be stored where nothing declares one.
 */
export function secretNames(own: CredentialFields, everywhere: ReadonlySet<string>): string[] {
  const names = new Set(everywhere);
  for (const [name, field] of Object.entries(own)) {
    if (field.secret) names.add(name);
    else names.delete(name);
  }
  return [...names];
}

/** The secret texts inside these credentials, longest first, in every form in which they could be quoted back. */
export function secretValues(names: readonly string[], credentials: Credentials): string[] {
  const values = new Set<string>();
  for (const name of names) collect(credentials[name], values);
  const tls = credentials.tlsOptions;
  if (typeof tls === "object" && tls !== null) {
    for (const name of secretTlsMembers) collect(Reflect.get(tls, name), values);
  }
  return [...values].sort((a, b) => b.length - a.length);
}

/** Shorter texts are not secrets, and occur in many sentences by chance. */
const minSecret = 8;

/**
 * The secrets of a message. A chat webhook URL or a device token lets its reader write to the person, and a header that
 * an event passes through may hold credentials of the caller.
 */
export function messageSecrets(message: Message): string[] {
  const values = new Set<string>();
  const collectLong = (text: unknown) => {
    if (typeof text === "string" && text.length >= minSecret) collect(text, values);
  };
  for (const fields of [message.passthrough?.headers, message.passthrough?.query]) {
    for (const value of Object.values(fields ?? {})) {
      collectLong(value);
      // `Bearer …`, `Basic …`: servers quote the credentials without the scheme.
      if (typeof value === "string") collectLong(value.slice(value.indexOf(" ") + 1));
    }
  }
  if (message.channel === "push") collectLong(message.token);
  if (message.channel === "chat") collectTarget(message.target, values);
  return [...values].sort((a, b) => b.length - a.length);
}

function collectTarget(target: ChatTarget, values: Set<string>): void {
  if ("accessToken" in target) collect(target.accessToken, values);
  if (target.kind !== "webhook") return;
  collect(target.webhookUrl, values);
  const url = URL.parse(target.webhookUrl);
  // An error page quotes the path of the request, not the whole URL.
  if (url && url.pathname.length + url.search.length >= 16) collect(`${url.pathname}${url.search}`, values);
}

function collect(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, into);
    return;
  }
  if (typeof value !== "string" || value === "") return;
  into.add(value);
  into.add(encodeURIComponent(value));
  // A form encodes more characters than a path does.
  into.add(new URLSearchParams({ v: value }).toString().slice(2));
  into.add(JSON.stringify(value).slice(1, -1));
  into.add(Buffer.from(value).toString("base64"));
  // A private key is quoted line by line more often than whole.
  for (const line of value.split(/[\r\n]+/)) if (line.trim().length >= 16) into.add(line.trim());
}

export function scrub(reason: string, secrets: readonly string[]): string {
  let clean = reason;
  for (const value of secrets) clean = clean.replaceAll(value, "********");
  // The header of a request joins user and password before encoding, so neither would be found in it.
  clean = clean.replace(/\b(Basic|Bearer)\s+[\w+/=.~-]{6,}/gi, "$1 ********");
  return clean.length > maxReason ? `${clean.slice(0, maxReason)}…` : clean;
}
