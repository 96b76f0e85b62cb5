// Mails about alerts. They never depend on what they report: an integration that an alert is about is not used for it,
// and neither is one whose circuit breaker is open or whose last call failed. The order of ways: the integration that
// the target names, the mail server of the settings, other integrations of the environment and, for owners, those of
// the other environments.
import { type Message, type Outcome, send } from "@tidings/providers";
import type { NetworkCtx } from "../../../context.ts";
import { findMailRoutes, type MailRoute } from "../../../store/alerts/mail-routes.ts";
import { sendSystemMail } from "../../system-mail.ts";
import type { Mail } from "./letter.ts";

/** `avoid`: the integrations that the alerts are about. `isForOwners`: integrations of all environments may be used. */
export type MailRequest = {
  id: string;
  organizationId: string;
  environmentId: string;
  to: string[];
  integrationIdentifier?: string;
  avoid: ReadonlySet<string>;
  isForOwners: boolean;
  mail: Mail;
};

/** `isFinal`: another attempt would not help. */
export type SendResult = { isSent: boolean; detail: string; isFinal?: boolean };

/** Ways that one attempt tries; the next attempt begins with those that work by then. */
const maxWays = 3;

type Way = { name: string; send(message: Message): Promise<Outcome> };

function waysOf(ctx: NetworkCtx, request: MailRequest, routes: MailRoute[]): Way[] {
  const { environmentId, integrationIdentifier, avoid, isForOwners } = request;
  const usable = routes.filter(({ id }) => !avoid.has(id));
  const isNamed = (route: MailRoute) =>
    route.environment_id === environmentId && route.identifier === integrationIdentifier;
  const named = usable.filter(isNamed);
  const others = usable.filter((route) => !isNamed(route) && (isForOwners || route.environment_id === environmentId));
  const toWay = (route: MailRoute): Way => ({
    name: `the integration ${route.identifier}`,
    send: (message) => send(route.provider_id, message, readCredentials(ctx, route), ctx.io),
  });
  const { mailer } = ctx.config;
  const system: Way[] = mailer
    ? [{ name: "the mail server of TIDINGS_MAIL_URL", send: (message) => sendSystemMail(ctx, mailer, message) }]
    : [];
  return [...named.map(toWay), ...system, ...others.map(toWay)].slice(0, maxWays);
}

const readCredentials = ({ secrets }: NetworkCtx, { credentials }: MailRoute) =>
  credentials === null ? {} : JSON.parse(secrets.decrypt(credentials));

/** Never rejects: a way that cannot be used is like one that failed. */
async function tryWay(way: Way, message: Message): Promise<Outcome> {
  try {
    return await way.send(message);
  } catch (error) {
    return { kind: "retry", reason: error instanceof Error ? error.message : String(error) };
  }
}

export async function mailAlert(ctx: NetworkCtx, request: MailRequest): Promise<SendResult> {
  const { id, to, mail, organizationId } = request;
  const ways = waysOf(ctx, request, await findMailRoutes(ctx.db, request.environmentId, organizationId));
  if (ways.length === 0) {
    return {
      isSent: false,
      detail: "No email integration that works, and TIDINGS_MAIL_URL is not set",
    };
  }
  const failures: string[] = [];
  for (const way of ways) {
    const outcome = await tryWay(way, { id, channel: "email", to, ...mail });
    if (outcome.kind === "accepted") return { isSent: true, detail: `Sent through ${way.name}` };
    failures.push(`${way.name}: ${outcome.reason}`);
  }
  return { isSent: false, detail: failures.join("; ") };
}
