// Limits that are checked before the provider is called: length of the text, number of recipients, size of attachments,
// form of addresses. The error names the limit and costs no call. Exceeding a limit of email or SMS is `config`,
// because failover to another integration may succeed; chat and push have no failover, so there it is `content`.

import { toRecipients } from "../kit/mail.ts";
import type { EmailMessage, Message, SmsMessage } from "../kit/message.ts";
import { type Failure, rejected, SendError } from "../kit/outcome.ts";
import type { Limits } from "../kit/provider.ts";

type Limited = {
  readonly name: string;
  readonly limits?: Limits;
};

/** The message as the adapter gets it, or the failure. */
export function checkLimits(provider: Limited, message: Message): Message | Failure {
  if (message.channel === "email") return mailFault(provider, message) ?? message;
  const fault = textFault(provider, message);
  if (fault) return fault;
  return message.channel === "sms" ? withNumber(message) : message;
}

function textFault({ name, limits }: Limited, message: Exclude<Message, EmailMessage>): Failure | undefined {
  const text = message.channel === "push" ? message.body : message.text;
  // A text of n code units has at most n characters, so most texts need no counting.
  if (limits?.text === undefined || text.length <= limits.text) return undefined;
  const length = [...text].length;
  if (length <= limits.text) return undefined;
  const reason = `The text has ${length} characters; ${name} takes at most ${limits.text}`;
  return rejected(message.channel === "sms" ? "config" : "content", reason);
}

function mailFault({ name, limits = {} }: Limited, message: EmailMessage): Failure | undefined {
  try {
    const { to, cc, bcc } = toRecipients(message);
    const count = to.length + cc.length + bcc.length;
    if (limits.recipients !== undefined && count > limits.recipients) {
      return rejected("config", `The mail has ${count} recipients; ${name} takes at most ${limits.recipients}`);
    }
  } catch (error) {
    if (error instanceof SendError) return error.outcome;
    throw error;
  }
  const size = (message.attachments ?? []).reduce((sum, { content }) => sum + content.length, 0);
  if (limits.attachmentBytes === undefined || size <= limits.attachmentBytes) return undefined;
  return rejected("config", `The attachments have ${size} bytes; ${name} takes at most ${limits.attachmentBytes}`);
}

function withNumber(message: SmsMessage): SmsMessage | Failure {
  const number = message.to.replace(/[\s\-.()\u00a0\u2010-\u2015]/g, "");
  if (/^(\+\d{6,15}|\d{3,15})$/.test(number)) return { ...message, to: number };
  return rejected(
    "recipient",
    `${JSON.stringify(message.to.slice(0, 40))} is not a phone number: ${numberFault(number)}`,
  );
}

function numberFault(number: string): string {
  if (number === "") return "it has no digits";
  const stranger = /[^\d+]/.exec(number)?.[0];
  if (stranger !== undefined) return `it contains ${JSON.stringify(stranger)}`;
  if (number.lastIndexOf("+") > 0) return "a plus may only be its first character";
  const digits = number.replace("+", "").length;
  return `it has ${digits} digits instead of ${number.startsWith("+") ? "6 to 15" : "3 to 15"}`;
}
