// The mail of an invitation. Its link signs a member in with any role, so it goes only through the mail server that the
// operator named in the settings: an integration could be changed by an editor or an API key, who would read the link.
import type { InvitationMail } from "@tidings/contract";
import type { Message } from "@tidings/providers";
import type { NetworkCtx } from "../../context.ts";
import { toHtml, toLine } from "../../lib/text/mail-text.ts";
import { sendSystemMail } from "../../pipeline/system-mail.ts";
import { callProvider } from "../integrations/integration-checks.ts";

/** `inviter`: the name of the member who invites. */
export type InvitationText = { id: string; email: string; role: string; link: string; inviter: string };

/**
 * Called after the invitation is committed. A mail that cannot be sent leaves the link, which the inviter can pass on.
 */
export async function mailInvitation(
  ctx: NetworkCtx,
  organizationId: string,
  text: InvitationText,
): Promise<InvitationMail> {
  const { mailer } = ctx.config;
  if (!mailer) return { status: "none" };
  try {
    const outcome = await callProvider(ctx, { environmentId: organizationId }, () =>
      sendSystemMail(ctx, mailer, toMail(text)),
    );
    if (outcome.kind === "accepted") return { status: "sent" };
    return { status: outcome.kind === "unknown" ? "unknown" : "failed", reason: outcome.reason };
  } catch (error) {
    ctx.log.warn({ err: error }, "an invitation could not be mailed");
    return { status: "failed", reason: "The mail server of TIDINGS_MAIL_URL could not be used" };
  }
}

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
