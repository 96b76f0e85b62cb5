// Sign-in with a password, and the own account. A wrong password, an unknown address and a person without a password get the
// same answer after the same work. Attempts are limited in http/people/sign-in-limit.ts.
import type { Input, Output } from "@tidings/contract";
import type { SessionChange } from "../../answer.ts";
import type { Ctx, PersonCaller, Visitor } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { foldAddress } from "../../lib/addresses.ts";
import { hashPassword, isPasswordRight } from "../../lib/tokens/passwords.ts";
import { countPeople, findPerson, findPersonByEmail, type PersonRow, updatePerson } from "../../store/people/people.ts";
import { countWrongPassword, deleteSession, deleteSessionsOf } from "../../store/people/sessions.ts";
import { recordFailedSignIn } from "./failed-sign-ins.ts";
import { answerSignIn, describeSession, oidcMethod, organizationOf, toPerson } from "./sessions.ts";

export async function methods(ctx: Ctx): Promise<Output<"auth.methods">> {
  const owners = await countPeople(ctx.db, await organizationOf(ctx), "owner");
  return { data: { oidc: oidcMethod(ctx), isFirstStart: owners === 0 } };
}

/** Before the transaction, because hashing takes long. */
export async function checkPassword(ctx: Ctx, { source }: Visitor, { body }: Input<"auth.signIn">): Promise<PersonRow> {
  const organizationId = await organizationOf(ctx);
  const email = body.email.trim();
  const person = await findPersonByEmail(ctx.db, organizationId, email);
  const isRight = await isPasswordRight(foldAddress(email), body.password, person?.password_hash ?? null);
  if (!person || !isRight) {
    await recordFailedSignIn(ctx, { organizationId, email, personId: person?.id, method: "password", source });
    throw failure("SIGN_IN_FAILED", {});
  }
  return person;
}

export async function signIn(
  ctx: Ctx,
  { source }: Visitor,
  _input: Input<"auth.signIn">,
  checked: PersonRow,
): Promise<SessionChange<Output<"auth.signIn">>> {
  const { organization_id: organizationId, id } = checked;
  const row = await findPerson(ctx.db, organizationId, id);
  // Removed, or given another password, since it was checked.
  if (!row || row.password_hash !== checked.password_hash) throw failure("SIGN_IN_FAILED", {});
  return answerSignIn(ctx, { organizationId, row, source, operation: "auth.signIn" });
}

type OwnInput = Input<"auth.updatePerson">;

/** So that a stolen session, or a browser left open, does not give away the password. */
const maxWrongPasswords = 10;
/** How fresh the sign-in of a session must be to set a first password. */
const recentSignInMs = 10 * 60_000;

/** The hash of the new password, after a check of the current one; without one, the sign-in at the issuer is the proof. */
export async function checkOwnPassword(ctx: Ctx, caller: PersonCaller, { body }: OwnInput): Promise<string | null> {
  if (body.password === undefined) return null;
  const row = await findPerson(ctx.db, caller.organizationId, caller.person.id);
  if (!row) throw failure("SIGN_IN_REQUIRED", {});
  const account = foldAddress(row.email);
  if (row.password_hash === null) {
    const isRecent = ctx.now().getTime() - caller.signedInAt.getTime() < recentSignInMs;
    if (!isRecent) throw failure("RECENT_SIGN_IN_REQUIRED", {});
  } else if (!(await isPasswordRight(account, body.currentPassword ?? "", row.password_hash))) {
    await refuseGuess(ctx, caller);
  }
  return hashPassword(account, body.password);
}

async function refuseGuess(ctx: Ctx, { organizationId, sessionId }: PersonCaller): Promise<never> {
  const count = await countWrongPassword(ctx.db, organizationId, sessionId);
  if (count < maxWrongPasswords)
    throw invalid({ currentPassword: { messages: ["currentPassword must be the password that you have now"] } });
  await deleteSession(ctx.db, organizationId, sessionId);
  throw failure("SIGN_IN_REQUIRED", {});
}

export async function updateOwn(
  ctx: Ctx,
  { organizationId, person, sessionId, csrfToken }: PersonCaller,
  { body }: OwnInput,
  hash: string | null,
): Promise<Output<"auth.updatePerson">> {
  const changes = {
    ...(body.name === undefined ? {} : { name: body.name.trim() }),
    ...(hash && { password_hash: hash }),
  };
  const isEmpty = Object.keys(changes).length === 0;
  const row = isEmpty
    ? await findPerson(ctx.db, organizationId, person.id)
    : await updatePerson(ctx.db, organizationId, person.id, changes);
  if (hash) await deleteSessionsOf(ctx.db, organizationId, person.id, sessionId);
  return describeSession(ctx, organizationId, toPerson(row!), csrfToken);
}
