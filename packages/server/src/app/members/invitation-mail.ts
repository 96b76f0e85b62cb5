// The mail of an invitation. Its link signs a member in with any role, so it goes only through the mail server that the
// operator named in the settings: an integration could be changed by an editor or an API key, who would read the link.
import type { InvitationMail } from "@tidings/contract";
import { type Message, send } from "@tidings/providers";
import type { NetworkCtx } from "../../context.ts";
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
  const { server, from } = mailer;
  const { host, user, password, secure, requireTls } = server;
  const login = { ...(user && { user }), ...(password && { password }) };
  const credentials = {
    ...{ host, port: String(server.port), secure, requireTls, ...login },
    ...{ from: from.address, senderName: from.name },
  };
  try {
    const outcome = await callProvider(ctx, { environmentId: organizationId }, () =>
      send("nodemailer", toMail(text), credentials, ctx.io),
    );
    if (outcome.kind === "accepted") return { status: "sent" };
    return { status: outcome.kind === "unknown" ? "unknown" : "failed", reason: outcome.reason };
  } catch (error) {
    ctx.log.warn({ err: error }, "an invitation could not be mailed");
    return { status: "failed", reason: "The mail server of TIDINGS_MAIL_URL could not be used" };
  }
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
