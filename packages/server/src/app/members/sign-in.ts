// Sign-in with a password, and one's own account. A wrong password, an unknown address and a member without a password
// get the same response after the same work. Attempts are limited in http/auth/extra-limits.ts.
import type { Input, Output } from "@tidings/contract";
import type { Ctx, MemberCaller, Visitor } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { foldAddress } from "../../lib/addresses.ts";
import { hashPassword, isPasswordRight } from "../../lib/tokens/passwords.ts";
import type { SessionChange } from "../../response.ts";
import {
  countMembers,
  findMember,
  findMemberByEmail,
  type MemberRow,
  updateMember,
} from "../../store/members/members.ts";
import { countWrongPassword, deleteSession, deleteSessionsOf } from "../../store/members/sessions.ts";
import { recordFailedSignIn } from "./failed-sign-ins.ts";
import { answerSignIn, describeSession, oidcMethod, organizationOf, toMember } from "./sessions.ts";

export async function methods(ctx: Ctx): Promise<Output<"auth.methods">> {
  const owners = await countMembers(ctx.db, await organizationOf(ctx), "owner");
  return { data: { oidc: oidcMethod(ctx), isFirstStart: owners === 0 } };
}

/** Before the transaction, because hashing takes long. */
export async function checkPassword(ctx: Ctx, { source }: Visitor, { body }: Input<"auth.signIn">): Promise<MemberRow> {
  const organizationId = await organizationOf(ctx);
  const email = body.email.trim();
  const member = await findMemberByEmail(ctx.db, organizationId, email);
  const attempt = { owner: foldAddress(email), password: body.password, hash: member?.password_hash ?? null };
  const isRight = await isPasswordRight(attempt, ctx.config.passwordCost);
  if (!member || !isRight) {
    await recordFailedSignIn(ctx, { organizationId, email, memberId: member?.id, method: "password", source });
    throw failure("SIGN_IN_FAILED", {});
  }
  return member;
}

export async function signIn(
  ctx: Ctx,
  { source }: Visitor,
  _input: Input<"auth.signIn">,
  checked: MemberRow,
): Promise<SessionChange<Output<"auth.signIn">>> {
  const { organization_id: organizationId, id } = checked;
  const row = await findMember(ctx.db, organizationId, id);
  // Removed, or given another password, since it was checked.
  if (!row || row.password_hash !== checked.password_hash) throw failure("SIGN_IN_FAILED", {});
  return answerSignIn(ctx, { organizationId, row, source, operation: "auth.signIn" });
}

type OwnInput = Input<"auth.updatePerson">;

/** So that a stolen session, or a browser left open, does not give away the password. */
const maxWrongPasswords = 10;
/** How fresh the sign-in of a session must be to set a first password. */
const recentSignInMs = 10 * 60_000;

/**
 * The hash of the new password, after a check of the current one; without one, the sign-in at the issuer is the proof.
 */
export async function checkOwnPassword(ctx: Ctx, caller: MemberCaller, { body }: OwnInput): Promise<string | null> {
  if (body.password === undefined) return null;
  const row = await findMember(ctx.db, caller.organizationId, caller.member.id);
  if (!row) throw failure("SIGN_IN_REQUIRED", {});
  const { passwordCost } = ctx.config;
  const owner = foldAddress(row.email);
  if (row.password_hash === null) {
    const isRecent = ctx.now().getTime() - caller.signedInAt.getTime() < recentSignInMs;
    if (!isRecent) throw failure("RECENT_SIGN_IN_REQUIRED", {});
  } else {
    const attempt = { owner, password: body.currentPassword ?? "", hash: row.password_hash };
    if (!(await isPasswordRight(attempt, passwordCost))) await refuseGuess(ctx, caller);
  }
  return hashPassword(owner, body.password, passwordCost);
}

async function refuseGuess(ctx: Ctx, { organizationId, sessionId }: MemberCaller): Promise<never> {
  const count = await countWrongPassword(ctx.db, organizationId, sessionId);
  if (count < maxWrongPasswords)
    throw invalid({ currentPassword: { messages: ["currentPassword must be the password that you have now"] } });
  await deleteSession(ctx.db, organizationId, sessionId);
  throw failure("SIGN_IN_REQUIRED", {});
}

export async function updateOwn(
  ctx: Ctx,
  { organizationId, member, sessionId, csrfToken }: MemberCaller,
  { body }: OwnInput,
  hash: string | null,
): Promise<Output<"auth.updatePerson">> {
  const changes = {
    ...(body.name === undefined ? {} : { name: body.name.trim() }),
    ...(hash && { password_hash: hash }),
  };
  const isEmpty = Object.keys(changes).length === 0;
  const row = isEmpty
    ? await findMember(ctx.db, organizationId, member.id)
    : await updateMember(ctx.db, organizationId, member.id, changes);
  if (hash) await deleteSessionsOf(ctx.db, organizationId, member.id, sessionId);
  return describeSession(ctx, organizationId, toMember(row!), csrfToken);
}
