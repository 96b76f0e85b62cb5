// What can be known to fail before the provider is called: a text that is too long, too many recipients, too much
// attached, an address that is none. Saying so here names the limit, and costs neither a call nor a reputation. A limit
// is this provider's alone, and another integration may have a wider one: hence `config`. Chat and push have no other.

import { toRecipients } from "./mail.ts";
import type { EmailMessage, Message, SmsMessage } from "./message.ts";
import { type Failure, rejected, SendFault } from "./outcome.ts";
import type { Limits } from "./provider.ts";

interface Limited {
  readonly name: string;
  readonly limits?: Limits;
}

/** The message as the provider is to see it, or why it will not take it. */
export const withinLimits = (provider: Limited, message: Message): Message | Failure => {
  if (message.channel === "email") return mailFault(provider, message) ?? message;
  const fault = textFault(provider, message);
  if (fault) return fault;
  return message.channel === "sms" ? withNumber(message) : message;
};

const textFault = ({ name, limits }: Limited, message: Exclude<Message, EmailMessage>): Failure | undefined => {
  const text = message.channel === "push" ? message.body : message.text;
  // A text of n code units has at most n characters, so most texts need no counting.
  if (limits?.text === undefined || text.length <= limits.text) return undefined;
  const length = [...text].length;
  if (length <= limits.text) return undefined;
  const reason = `The text has ${length} characters; ${name} takes at most ${limits.text}`;
  return rejected(message.channel === "sms" ? "config" : "content", reason);
};

const mailFault = ({ name, limits = {} }: Limited, message: EmailMessage): Failure | undefined => {
  try {
    const { to, cc, bcc } = toRecipients(message);
    const count = to.length + cc.length + bcc.length;
    if (limits.recipients !== undefined && count > limits.recipients) {
      return rejected("config", `The mail has ${count} recipients; ${name} takes at most ${limits.recipients}`);
    }
  } catch (error) {
    if (error instanceof SendFault) return error.outcome;
    throw error;
  }
  const size = (message.attachments ?? []).reduce((sum, { content }) => sum + content.length, 0);
  if (limits.attachmentBytes === undefined || size <= limits.attachmentBytes) return undefined;
  return rejected("config", `The attachments have ${size} bytes; ${name} takes at most ${limits.attachmentBytes}`);
};

const withNumber = (message: SmsMessage): SmsMessage | Failure => {
  const number = message.to.replace(/[\s\-.()\u00a0\u2010-\u2015]/g, "");
  if (/^(\+\d{6,15}|\d{3,15})$/.test(number)) return { ...message, to: number };
  return rejected(
    "recipient",
    `${JSON.stringify(message.to.slice(0, 40))} is not a phone number: ${numberFault(number)}`,
  );
};

const numberFault = (number: string): string => {
  if (number === "") return "it has no digits";
  const stranger = /[^\d+]/.exec(number)?.[0];
  if (stranger !== undefined) return `it contains ${JSON.stringify(stranger)}`;
  if (number.lastIndexOf("+") > 0) return "a plus may only be its first character";
  const digits = number.replace("+", "").length;
  return `it has ${digits} digits instead of ${number.startsWith("+") ? "6 to 15" : "3 to 15"}`;
};
