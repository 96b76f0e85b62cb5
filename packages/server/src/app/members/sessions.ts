// Sessions of members: begun by a sign-in, renewed by use, ended by a sign-out. Every sign-in creates a new secret, so
// that a cookie that was planted before it is worth nothing after it.
import type { SignedIn } from "@tidings/contract";
import type { Ctx, MemberCaller, SignedInMember, Source } from "../../context.ts";
import { sha256 } from "../../lib/secrets.ts";
import { csrfTokenOf, newToken, openSession, sealSession } from "../../lib/tokens/member-tokens.ts";
import { type SessionChange, withSession } from "../../response.ts";
import { listEnvironments } from "../../store/environments/environments.ts";
import { findOrganizationId } from "../../store/installation/installation.ts";
import { type MemberRow, updateMember } from "../../store/members/members.ts";
import {
  deleteSession,
  deleteSessionBySecret,
  deleteSessionsOf,
  findSession,
  insertSession,
  renewSession,
  trimSessions,
} from "../../store/members/sessions.ts";
import { version } from "../../version.ts";
import { recordChange } from "./audit.ts";

export const sessionSeconds = 30 * 86_400;
const renewAfterMs = 3_600_000;
/** Browsers of one member that are signed in at the same time; the oldest session ends for a new one. */
const maxSessions = 20;

/** Sign-in needs no environment and no organisation: one installation is one organisation. */
export const organizationOf = (ctx: Pick<Ctx, "db">): Promise<string> => findOrganizationId(ctx.db);

export const toMember = (row: MemberRow): SignedInMember => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  hasPassword: row.password_hash !== null,
});

export async function describeSession(
  ctx: Ctx,
  organizationId: string,
  { id, ...member }: SignedInMember,
  csrfToken: string,
): Promise<{ data: SignedIn }> {
  const environments = await listEnvironments(ctx.db, organizationId);
  return {
    data: {
      person: { _id: id, ...member },
      csrfToken,
      environments: environments.map(({ id, name, identifier, type }) => ({ _id: id, name, identifier, type })),
      signIn: { password: true, oidc: oidcMethod(ctx) },
      version,
    },
  };
}

export const oidcMethod = ({ config }: Pick<Ctx, "config">) => (config.oidc ? { name: config.oidc.name } : null);

type SignIn = { organizationId: string; row: MemberRow; source: Source; operation: string };

/**
 * Begins a session, and ends the one whose cookie came with the request: the browser forgets it, so no one could sign
 * it out. The entry of the audit log says how the member signed in.
 */
export async function startSession(ctx: Ctx, { organizationId, row, source, operation }: SignIn): Promise<string> {
  const former = source.cookie === undefined ? null : openSession(ctx.secrets, source.cookie);
  if (former !== null) await deleteSessionBySecret(ctx.db, organizationId, sha256(former));
  const secret = newToken();
  const now = ctx.now();
  await insertSession(ctx.db, {
    id: ctx.newId(),
    organization_id: organizationId,
    user_id: row.id,
    secret_hash: sha256(secret),
    created_at: now,
    renewed_at: now,
    expires_at: new Date(now.getTime() + sessionSeconds * 1_000),
    address: source.address,
    user_agent: source.userAgent?.slice(0, 500) ?? null,
  });
  await trimSessions(ctx.db, organizationId, row.id, maxSessions);
  await updateMember(ctx.db, organizationId, row.id, { last_sign_in_at: now });
  const actor = { kind: "person", id: row.id, name: row.email } as const;
  await recordChange(ctx, { organizationId, actor, operation, target: row.id, source });
  return secret;
}

/** The response to a sign-in: what the page needs, and the cookie. */
export async function answerSignIn(ctx: Ctx, signIn: SignIn): Promise<SessionChange<{ data: SignedIn }>> {
  const secret = await startSession(ctx, signIn);
  const member = toMember(signIn.row);
  const output = await describeSession(ctx, signIn.organizationId, member, csrfTokenOf(secret));
  return withSession(output, sealSession(ctx.secrets, secret));
}

type Found = { caller: MemberCaller; secret: string; isRenewed: boolean };

/** The session of a cookie; null when it is not one of this installation, has expired or was ended. */
export async function findSessionOf(ctx: Ctx, cookie: string, source: Source): Promise<Found | null> {
  const secret = openSession(ctx.secrets, cookie);
  const now = ctx.now();
  const found = secret === null ? undefined : await findSession(ctx.db, sha256(secret), now);
  if (secret === null || !found) return null;
  const isRenewed = now.getTime() - found.renewed_at.getTime() > renewAfterMs;
  if (isRenewed) {
    const expires_at = new Date(now.getTime() + sessionSeconds * 1_000);
    await renewSession(ctx.db, found.organization_id, found.id, { renewed_at: now, expires_at });
  }
  const { person_id: id, name, email, role, has_password: hasPassword } = found;
  const member = { id, name, email, role, hasPassword };
  const { organization_id: organizationId, id: sessionId, created_at: signedInAt } = found;
  const csrfToken = csrfTokenOf(secret);
  return { caller: { organizationId, member, sessionId, signedInAt, csrfToken, source }, secret, isRenewed };
}

export const retrieve = (ctx: Ctx, { organizationId, member, csrfToken }: MemberCaller): Promise<{ data: SignedIn }> =>
  describeSession(ctx, organizationId, member, csrfToken);

export async function signOut(ctx: Ctx, caller: MemberCaller): Promise<SessionChange<undefined>> {
  await deleteSession(ctx.db, caller.organizationId, caller.sessionId);
  return withSession(undefined, null);
}

export async function signOutEverywhere(ctx: Ctx, caller: MemberCaller): Promise<SessionChange<undefined>> {
  await deleteSessionsOf(ctx.db, caller.organizationId, caller.member.id);
  return withSession(undefined, null);
}
