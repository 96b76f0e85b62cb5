// Links that work once: the first owner's, invitations', new passwords'. The token is in the fragment of the address,
// which browsers do not send, so that no log has it.
import type { Input, LinkKind, Output, Role } from "@tidings/contract";
import type { Config } from "../../config.ts";
import type { Ctx, Visitor } from "../../context.ts";
import { failure, faultCollector } from "../../failure.ts";
import { sha256 } from "../../lib/secrets.ts";
import { newToken } from "../../lib/tokens/member-tokens.ts";
import { hashPassword } from "../../lib/tokens/passwords.ts";
import type { SessionChange } from "../../response.ts";
import { deleteLinks, findLink, insertLink, type LinkRow, takeLink } from "../../store/members/links.ts";
import {
  countMembers,
  findMember,
  findMemberByEmail,
  insertMember,
  lockMembers,
  type MemberRow,
  updateMember,
} from "../../store/members/members.ts";
import { deleteSessionsOf } from "../../store/members/sessions.ts";
import { answerSignIn, organizationOf } from "./sessions.ts";

const hourMs = 3_600_000;
const lifetimes: Record<LinkKind, number> = { first: 24 * hourMs, invitation: 7 * 24 * hourMs, reset: 24 * hourMs };

type LinkTools = Pick<Ctx, "db" | "now" | "newId">;

export type NewLink = {
  organizationId: string;
  kind: LinkKind;
  role: Role;
  email?: string;
  userId?: string;
  createdBy?: string;
};

/** Stores the hash of a new token. The token itself is in the response only. */
export async function makeLink(tools: LinkTools, link: NewLink): Promise<{ token: string; row: LinkRow }> {
  const token = newToken();
  const now = tools.now();
  const row = await insertLink(tools.db, {
    id: tools.newId(),
    organization_id: link.organizationId,
    kind: link.kind,
    secret_hash: sha256(token),
    user_id: link.userId ?? null,
    email: link.email ?? null,
    role: link.role,
    created_by: link.createdBy ?? null,
    created_at: now,
    expires_at: new Date(now.getTime() + lifetimes[link.kind]),
  });
  return { token, row };
}

export const addressOfLink = (config: Pick<Config, "publicUrl">, baseUrl: string, token: string): string =>
  `${config.publicUrl || baseUrl}/sign-in#token=${token}`;

/** A link that creates an owner, for the banner and `tidings sign-in`. Earlier ones stop working. */
export async function makeOwnerLink(tools: LinkTools & { config: Config }, baseUrl: string): Promise<string> {
  const organizationId = await organizationOf(tools);
  await deleteLinks(tools.db, organizationId, "first");
  const { token } = await makeLink(tools, { organizationId, kind: "first", role: "owner" });
  return addressOfLink(tools.config, baseUrl, token);
}

/** The link for the banner: null once there is an owner. */
export async function makeFirstLink(tools: LinkTools & { config: Config }, baseUrl: string): Promise<string | null> {
  const hasOwner = (await countMembers(tools.db, await organizationOf(tools), "owner")) > 0;
  return hasOwner ? null : makeOwnerLink(tools, baseUrl);
}

async function requireLink(ctx: Ctx, token: string): Promise<LinkRow> {
  const link = await findLink(ctx.db, await organizationOf(ctx), sha256(token), ctx.now());
  if (!link) throw failure("LINK_NOT_VALID", {});
  return link;
}

export async function check(
  ctx: Ctx,
  _visitor: Visitor,
  { body }: Input<"auth.checkLink">,
): Promise<Output<"auth.checkLink">> {
  const link = await requireLink(ctx, body.token);
  const member = link.user_id === null ? undefined : await findMember(ctx.db, link.organization_id, link.user_id);
  const { kind, email, role } = link;
  return { data: { kind, email: member?.email ?? email, name: member?.name ?? null, role: member?.role ?? role } };
}

type Prepared = { link: LinkRow; passwordHash: string | null };
type LinkInput = Input<"auth.redeemLink">;

/** Before the transaction, because hashing takes long. The link itself is taken inside it. */
export async function prepare(ctx: Ctx, _visitor: Visitor, { body }: LinkInput): Promise<Prepared> {
  const link = await requireLink(ctx, body.token);
  const faults = faultCollector();
  const isOptional = ctx.config.oidc !== null && link.kind !== "reset";
  if (body.password === undefined && !isOptional) faults.add("password", "password is required");
  if (body.name === undefined && link.kind !== "reset") faults.add("name", "name is required");
  if (body.email === undefined && link.kind === "first") faults.add("email", "email is required");
  faults.throwIfAny();
  const { passwordCost } = ctx.config;
  const passwordHash = body.password === undefined ? null : await hashPassword(link.id, body.password, passwordCost);
  return { link, passwordHash };
}

export async function redeem(
  ctx: Ctx,
  { source }: Visitor,
  { body }: LinkInput,
  { link, passwordHash }: Prepared,
): Promise<SessionChange<Output<"auth.redeemLink">>> {
  const organizationId = link.organization_id;
  await lockMembers(ctx.db, organizationId);
  if (!(await takeLink(ctx.db, organizationId, link.id))) throw failure("LINK_NOT_VALID", {});
  const row = await memberOf(ctx, link, body, passwordHash);
  await deleteSessionsOf(ctx.db, organizationId, row.id);
  return answerSignIn(ctx, { organizationId, row, source, operation: "auth.redeemLink" });
}

async function memberOf(
  ctx: Ctx,
  link: LinkRow,
  { name, email }: LinkInput["body"],
  passwordHash: string | null,
): Promise<MemberRow> {
  const { organization_id: organizationId, kind, role } = link;
  const changes = passwordHash === null ? {} : { password_hash: passwordHash };
  if (kind === "reset") {
    const member = await findMember(ctx.db, organizationId, link.user_id!);
    if (!member) throw failure("LINK_NOT_VALID", {});
    return updateMember(ctx.db, organizationId, member.id, changes);
  }
  const address = (kind === "first" ? email! : link.email!).trim();
  const known = await findMemberByEmail(ctx.db, organizationId, address);
  // A link of the machine turns even a known member into an owner, such as one who lost the password.
  if (known && kind === "first")
    return updateMember(ctx.db, organizationId, known.id, { ...changes, name: name!.trim(), role });
  if (known) throw failure("PERSON_EXISTS", { email: address });
  return insertMember(ctx.db, {
    id: ctx.newId(),
    organization_id: organizationId,
    name: name!.trim(),
    email: address,
    role,
    password_hash: passwordHash,
    created_at: ctx.now(),
  });
}
