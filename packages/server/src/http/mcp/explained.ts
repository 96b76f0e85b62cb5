// Steps and messages of an explanation or a dry run, in lines.
import type { ExplainedMessage, ExplainedStep } from "@tidings/contract";
import { block, id, quote } from "./answer.ts";

type Options = {
  /** Contents of messages are shown. */
  withContent?: boolean;
};

/** Addresses, errors and attempts of a message. */
function messageLines(message: ExplainedMessage, { withContent = false }: Options = {}): string[] {
  const { _id, channel, status, address, integrationIdentifier, providerId, errorText, attempts = [] } = message;
  const where = [
    address && `to ${quote(address)}`,
    integrationIdentifier
      ? `through integration ${id(integrationIdentifier)}`
      : providerId && `through ${id(providerId)}`,
  ];
  const tries = attempts.slice(-5).map(({ number, outcome, reason, startedAt }) => {
    const because = reason ? ` ${quote(reason)}` : "";
    return `   attempt ${number} at ${startedAt}: ${id(outcome)}${because}`;
  });
  return [
    `   ${channel} message${_id ? ` ${id(_id)}` : ""} ${where.filter(Boolean).join(" ")}: ${status}.`,
    ...(errorText ? [`   Error: ${quote(errorText)}`] : []),
    ...tries,
    ...(message.subject !== undefined ? [`   Subject: ${quote(message.subject)}`] : []),
    ...(withContent && message.content !== undefined ? [block("Content", message.content, 2_000)] : []),
  ];
}

export const stepLines = (steps: ExplainedStep[], options: Options = {}): string[] =>
  steps.flatMap((step, index) => {
    const { stepId, type, outcome, reason, code, decidedBy, at, until, messages } = step;
    const decider = decidedBy && `decided by: ${decidedBy.kind}${decidedBy.id ? ` ${id(decidedBy.id)}` : ""}`;
    const facts = [code && `code ${id(code)}`, decider, at && `at ${at}`, until && `until ${until}`];
    const known = facts.filter(Boolean).join(", ");
    return [
      `${index + 1}. Step ${id(stepId)} (${type}): ${outcome}. ${quote(reason)}${known ? ` (${known})` : ""}`,
      ...messages.slice(0, 5).flatMap((message) => messageLines(message, options)),
    ];
  });
