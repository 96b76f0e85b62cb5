// Runs one provider for one message and always answers with an outcome. This is the only caller of a provider's
// functions: it reads the credentials, fills in the sender, and turns whatever is thrown into a result.

import { type Credentials, isSet, readCredentials, suppliedElsewhere } from "./credentials.ts";
import { withinLimits } from "./limits.ts";
import type { Message } from "./message.ts";
import { byStatus, type CheckResult, type Outcome, rejected, retry, SendFault, unknown } from "./outcome.ts";
import { withOverrides } from "./overrides.ts";
import type { Io, Provider } from "./provider.ts";

const checkLimitMs = 10_000;

export const deliver = async (provider: Provider, message: Message, stored: Credentials, io: Io): Promise<Outcome> => {
  if (message.channel !== provider.channel) {
    return rejected("config", `${provider.name} sends ${provider.channel}, not ${message.channel}`);
  }
  const missing = missingField(provider, stored);
  if (missing) return rejected("config", `The credential ${missing} of ${provider.name} is not set`);
  const credentials = readCredentials(provider.credentials, stored);
  const outgoing = withSender(message, credentials);
  if (provider.credentials.from?.required && !("from" in outgoing && outgoing.from)) {
    return rejected("config", `No sender: neither the message nor the integration of ${provider.name} has a "from"`);
  }
  const checked = withinLimits(provider, outgoing);
  return "kind" in checked ? checked : run(provider, checked, credentials, io);
};

const run = async (provider: Provider, message: Message, credentials: Credentials, io: Io): Promise<Outcome> => {
  let written = false;
  try {
    if (provider.send) {
      written = true;
      return await provider.send(message, credentials, io);
    }
    if (!provider.request) return rejected("config", `${provider.name} has no way to send`);
    const built = withOverrides(provider.request(message, credentials), message, provider.extraAt);
    const request = provider.sign ? await provider.sign(built, credentials, io.now()) : built;
    written = true;
    const reply = await io.http(request);
    return provider.read ? provider.read(reply) : byStatus(reply);
  } catch (error) {
    if (error instanceof SendFault) return error.outcome;
    // Before anything was written a fault of ours costs a repeat; after, the message may be with the provider.
    return written ? unknown(textOf(error)) : retry(textOf(error));
  }
};

export const runCheck = async (provider: Provider, stored: Credentials, io: Io): Promise<CheckResult> => {
  const missing = missingField(provider, stored);
  if (missing) return { ok: false, reason: `${missing} is not set` };
  if (!provider.check) return { ok: true };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<CheckResult>((resolve) => {
    const reason = `${provider.name} did not answer within ${checkLimitMs / 1000} seconds`;
    timer = setTimeout(() => resolve({ ok: false, reason }), checkLimitMs);
  });
  try {
    return await Promise.race([provider.check(readCredentials(provider.credentials, stored), io), limit]);
  } catch (error) {
    if (!(error instanceof SendFault)) return { ok: false, reason: textOf(error) };
    const { outcome, unresolvedHost } = error;
    return unresolvedHost === undefined
      ? { ok: false, reason: outcome.reason }
      : { ok: false, reason: outcome.reason, unresolvedHost };
  } finally {
    clearTimeout(timer);
  }
};

const missingField = (provider: Provider, stored: Credentials): string | undefined =>
  Object.entries(provider.credentials).find(
    ([name, field]) => field.required && !suppliedElsewhere.has(name) && !isSet(stored[name]),
  )?.[0];

const withSender = (message: Message, credentials: Credentials): Message => {
  if (message.channel !== "email" && message.channel !== "sms") return message;
  const from = message.from || textIn(credentials, "from");
  if (message.channel === "sms") return { ...message, from };
  return { ...message, from, senderName: message.senderName || textIn(credentials, "senderName") };
};

const textIn = (credentials: Credentials, name: string): string | undefined => {
  const value = credentials[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
