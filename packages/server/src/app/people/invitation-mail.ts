// The mail of an invitation. People belong to the installation and integrations to an environment: the mail goes through the
// primary email integration of the first production environment that has one. Mailboxes that capture mail are left out.
import type { InvitationMail } from "@tidings/contract";
import { findProvider, type Message, send } from "@tidings/providers";
import type { NetworkCtx } from "../../context.ts";
import { listEnvironments } from "../../store/environments/environments.ts";
import { type IntegrationRow, listIntegrations } from "../../store/integrations/integrations.ts";
import { unseal } from "../integrations/credentials.ts";
import { callProvider } from "../integrations/integration-checks.ts";

/** `inviter`: the name of the person who invites. */
export type InvitationText = { id: string; email: string; role: string; link: string; inviter: string };

/** Called after the invitation is committed. A mail that cannot be sent leaves the link, which the inviter can pass on. */
export async function mailInvitation(
  ctx: NetworkCtx,
  organizationId: string,
  text: InvitationText,
): Promise<InvitationMail> {
  const integration = await findSender(ctx, organizationId);
  if (!integration) return { status: "none" };
  const failed = (reason: string): InvitationMail => ({ status: "failed", integration: integration.name, reason });
  try {
    const credentials = unseal(ctx.secrets, integration.credentials);
    const caller = { environmentId: integration.environment_id };
    const outcome = await callProvider(ctx, caller, () =>
      send(integration.provider_id, toMail(text), credentials, ctx.io),
    );
    return outcome.kind === "accepted" ? { status: "sent", integration: integration.name } : failed(outcome.reason);
  } catch (error) {
    ctx.log.warn({ err: error, integrationId: integration.id }, "an invitation could not be mailed");
    return failed("the integration could not be used");
  }
}

async function findSender(ctx: NetworkCtx, organizationId: string): Promise<IntegrationRow | undefined> {
  const environments = await listEnvironments(ctx.db, organizationId);
  for (const { id } of environments.filter(({ type }) => type === "prod")) {
    const senders = (await listIntegrations(ctx.db, id)).filter(
      (row) => row.channel === "email" && row.active && findProvider(row.provider_id)?.capture !== true,
    );
    const sender = senders.find((row) => row.is_primary) ?? senders[0];
    if (sender) return sender;
  }
  return undefined;
}

/** A line break in a name would end the subject. */
const toLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const toHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign]!);

function toMail({ id, email, role, link, inviter }: InvitationText): Message {
  const what = `${toLine(inviter)} invites you to Tidings as ${role}.`;
  const how = "The link works once, for 7 days. There you choose a name and a password.";
  return {
    id,
    channel: "email",
    to: [email],
    subject: `${toLine(inviter)} invites you to Tidings`,
    text: `${what}\n\n${link}\n\n${how}\n`,
    html: `<p>${toHtml(what)}</p><p><a href="${toHtml(link)}">Join</a></p><p>${toHtml(how)}</p>`,
  };
}
