// One-click unsubscribe (RFC 8058) for mails that the subscriber may turn off. The link is built from ids when the mail
// is sent. Mails of critical workflows and required categories get none. A mail with its own List-Unsubscribe keeps it,
// unless its workflow is commercial: mailbox providers then require a link that works with one click.
import type { Message } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { signUnsubscribeToken, unsubscribeUrl } from "../../lib/tokens/unsubscribe-token.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { isCritical } from "../rules/preferences.ts";

export function withUnsubscribe(
  { config, secrets }: Pick<Ctx, "config" | "secrets">,
  row: MessageRow,
  version: WorkflowVersion | undefined,
  message: Message,
): Message {
  const { contextKey, pagesUrl } = linkFacts(row);
  const base = pagesUrl ?? config.publicUrl;
  if (message.channel !== "email" || base === "") return message;
  if (!version || isCritical(version.definition.preferences)) return message;
  if (row.outgoing?.isRequired === true) return message;
  const given = Object.entries(message.headers ?? {});
  const others = given.filter(([name]) => !/^list-unsubscribe(-post)?$/i.test(name));
  if (others.length < given.length && !version.definition.isCommercial) return message;
  const { environment_id: environmentId, subscriber_id: subscriberId, workflow_id: workflowId } = row;
  const { isBroadcast } = version.definition;
  const token = signUnsubscribeToken(secrets, { environmentId, subscriberId, workflowId, contextKey, isBroadcast });
  return {
    ...message,
    headers: {
      ...Object.fromEntries(others),
      "List-Unsubscribe": `<${unsubscribeUrl(base, token)}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}

/** What the step knew: whose brand the mail shows, and the domain of its links. */
function linkFacts({ outgoing }: MessageRow): { contextKey?: string; pagesUrl?: string } {
  const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { contextKey: textOf(outgoing?.contextKey), pagesUrl: textOf(outgoing?.pagesUrl) };
}
