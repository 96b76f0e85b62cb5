// One-click unsubscribe (RFC 8058) for mails that the subscriber may turn off. The link is built from ids when the mail
// is sent, and stored nowhere. Mails of critical workflows get none, and a mail with its own List-Unsubscribe
// keeps it.
import type { Message } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { signUnsubscribeToken } from "../../lib/tokens/unsubscribe-token.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { isCritical } from "../rules/preferences.ts";

export function withUnsubscribe(
  { config, secrets }: Pick<Ctx, "config" | "secrets">,
  row: MessageRow,
  version: WorkflowVersion | undefined,
  message: Message,
): Message {
  if (message.channel !== "email" || config.publicUrl === "") return message;
  if (!version || isCritical(version.definition.preferences)) return message;
  const { headers = {} } = message;
  if (Object.keys(headers).some((name) => /^list-unsubscribe(-post)?$/i.test(name))) return message;
  const { environment_id: environmentId, subscriber_id: subscriberId, workflow_id: workflowId } = row;
  const token = signUnsubscribeToken(secrets, { environmentId, subscriberId, workflowId });
  return {
    ...message,
    headers: {
      ...headers,
      "List-Unsubscribe": `<${config.publicUrl}/u/${token}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}
