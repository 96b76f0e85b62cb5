// The outcome of an SMTP error. By RFC 5321, 4xx is temporary and 5xx permanent. Whether a permanent refusal concerns
// the recipient or the sender follows from the refused command, unless the text of the server names the sender.

import { type Failure, rejected, retry, SendError, unknown } from "../kit/outcome.ts";

/** The parts of a nodemailer error that decide. */
type SmtpError = {
  message: string;
  code?: string;
  command?: string;
  responseCode?: number;
};

/** Raised by us when an attempt takes too long; nodemailer has no limit for a whole delivery. */
export function deadlineError(limitMs: number): SmtpError & Error {
  return Object.assign(new Error(`The server did not take the message within ${limitMs / 1000} seconds`), {
    code: "ETIMEDOUT",
  });
}

/** `bodyWritten`: the whole message including its end was handed to the connection. */
export function classify(error: unknown, bodyWritten: boolean): Failure {
  if (error instanceof SendError) return error.outcome;
  const { message, code, command, responseCode } = read(error);
  if (code === "EAUTH" || code === "ENOAUTH" || responseCode === 530 || responseCode === 535) {
    return responseCode && responseCode < 500 ? retry(message) : rejected("auth", message);
  }
  if (isOutOfStep(error) && bodyWritten) return unknown(message);
  if (responseCode) return byReply(responseCode, command, message);
  // Errors nodemailer finds itself before it speaks to the server.
  if (code === "EENVELOPE" || code === "EMAXRECIPIENTS") return rejected("recipient", message);
  if (code === "EMESSAGE") return rejected("content", message);
  return bodyWritten ? unknown(message) : retry(message);
}

/**
 * The reply to a message is 2xx, 4xx or 5xx. Another one belongs to an earlier command: the server has replied twice,
 * and every later reply on the connection is one behind.
 */
export function isOutOfStep(error: unknown): boolean {
  const { responseCode } = read(error);
  return responseCode !== undefined && responseCode < 400;
}

// The sender or relaying is not allowed, whatever the command. Exchange Online checks the sender after DATA: 5.2.252
// and 5.7.60 (may not send as), 5.7.57 (not signed in), 5.7.64 (may not relay), 5.7.708 and 5.7.750 (not trusted).
const aboutUs = [
  /SendAsDenied|permissions? to send as/i,
  /\brelay(ing)?( access)?( is)? (denied|not permitted|not allowed|prohibited)|\b(unable|not permitted|not allowed) to relay/i,
  /\b5\.(2\.252|7\.(57|60|64|708|750))\b/,
];

function byReply(responseCode: number, command: string | undefined, message: string): Failure {
  // 503 says that the session was in the wrong state, not that the message was refused.
  if (responseCode < 500 || responseCode === 503) return retry(message);
  if (aboutUs.some((words) => words.test(message))) return rejected("config", message);
  if (command === "RCPT TO") return rejected("recipient", message);
  // 552 means "too big", whatever the command.
  if (command === "DATA" || responseCode === 552) return rejected("content", message);
  // A greeting, a handshake or a sender that is refused for good: the error is in the settings of the integration.
  return rejected("config", message);
}

function read(error: unknown): SmtpError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, command, responseCode } = error as Error & Partial<SmtpError>;
  return {
    message,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof command === "string" ? { command } : {}),
    ...(typeof responseCode === "number" ? { responseCode } : {}),
  };
}
