// The members of the installation and their invitations, for owners. There is always an owner.
import type { Input, Invitation, InvitationMail, Member, Output, ResetLink } from "@tidings/contract";
import type { Ctx, MemberCaller } from "../../context.ts";
import { failure } from "../../failure.ts";
import { type Pending, pending } from "../../response.ts";
import {
  deleteLinks,
  deleteLinksMadeBy,
  deleteResetLink as deleteResetLinkRow,
  findInvitation,
  type LinkRow,
  listInvitations as listInvitationRows,
  listResetLinks as listResetLinkRows,
  type ResetLinkRow,
  takeLink,
} from "../../store/members/links.ts";
import {
  countMembers,
  findMember,
  findMemberByEmail,
  listMembers,
  lockMembers,
  type MemberRow,
  removeMember,
  updateMember,
} from "../../store/members/members.ts";
import { deleteSessionsOf } from "../../store/members/sessions.ts";
import { mailInvitation } from "./invitation-mail.ts";
import { addressOfLink, makeLink } from "./links.ts";

const maxMembers = 1_000;
const maxInvitations = 100;

const toMember = (row: MemberRow): Member => ({
  _id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  hasPassword: row.password_hash !== null,
  createdAt: row.created_at.toISOString(),
  lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
});

const toInvitation = (row: LinkRow): Invitation => ({
  _id: row.id,
  email: row.email ?? "",
  role: row.role,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

const toResetLink = (row: ResetLinkRow): ResetLink => ({
  _id: row.id,
  personId: row.person_id,
  name: row.name,
  email: row.email,
  madeBy: row.made_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

async function requireMember(ctx: Ctx, { organizationId }: MemberCaller, memberId: string): Promise<MemberRow> {
  const row = await findMember(ctx.db, organizationId, memberId);
  if (!row) throw failure("PERSON_NOT_FOUND", { personId: memberId });
  return row;
}

/** Under the lock of lockPeople. */
async function refuseLastOwner(ctx: Ctx, { organizationId }: MemberCaller, row: MemberRow): Promise<void> {
  if (row.role === "owner" && (await countMembers(ctx.db, organizationId, "owner")) <= 1)
    throw failure("LAST_OWNER", {});
}

export async function list(ctx: Ctx, { organizationId }: MemberCaller): Promise<Output<"people.list">> {
  return { data: (await listMembers(ctx.db, organizationId, maxMembers)).map(toMember) };
}

export async function retrieve(ctx: Ctx, caller: MemberCaller, memberId: string): Promise<Member> {
  return toMember(await requireMember(ctx, caller, memberId));
}

export async function update(
  ctx: Ctx,
  caller: MemberCaller,
  { params, body }: Input<"people.update">,
): Promise<Output<"people.update">> {
  await lockMembers(ctx.db, caller.organizationId);
  const row = await requireMember(ctx, caller, params.personId);
  if (body.role !== "owner") {
    await refuseLastOwner(ctx, caller, row);
    await deleteLinksMadeBy(ctx.db, caller.organizationId, row.id);
  }
  return { data: toMember(await updateMember(ctx.db, caller.organizationId, row.id, { role: body.role })) };
}

export async function remove(ctx: Ctx, caller: MemberCaller, { params }: Input<"people.delete">): Promise<undefined> {
  const { organizationId } = caller;
  await lockMembers(ctx.db, organizationId);
  const row = await requireMember(ctx, caller, params.personId);
  await refuseLastOwner(ctx, caller, row);
  await deleteSessionsOf(ctx.db, organizationId, row.id);
  await deleteLinks(ctx.db, organizationId, "reset", { userId: row.id });
  await deleteLinksMadeBy(ctx.db, organizationId, row.id);
  await removeMember(ctx.db, organizationId, row.id, ctx.now());
}

export async function createResetLink(
  ctx: Ctx,
  caller: MemberCaller,
  { params }: Input<"people.createResetLink">,
): Promise<Output<"people.createResetLink">> {
  const { organizationId, member, source } = caller;
  const { id: userId, role } = await requireMember(ctx, caller, params.personId);
  await deleteLinks(ctx.db, organizationId, "reset", { userId });
  const { token, row } = await makeLink(ctx, { organizationId, kind: "reset", role, userId, createdBy: member.id });
  return {
    data: { link: addressOfLink(ctx.config, source.baseUrl, token), expiresAt: row.expires_at.toISOString() },
  };
}

export async function listResetLinks(
  ctx: Ctx,
  { organizationId }: MemberCaller,
): Promise<Output<"people.listResetLinks">> {
  const rows = await listResetLinkRows(ctx.db, organizationId, ctx.now(), maxMembers);
  return { data: rows.map(toResetLink) };
}

export async function deleteResetLink(
  ctx: Ctx,
  { organizationId }: MemberCaller,
  { params: { resetLinkId } }: Input<"people.deleteResetLink">,
): Promise<undefined> {
  const isDeleted = await deleteResetLinkRow(ctx.db, organizationId, resetLinkId);
  if (!isDeleted) throw failure("RESET_LINK_NOT_FOUND", { resetLinkId });
}

export async function listInvitations(
  ctx: Ctx,
  { organizationId }: MemberCaller,
): Promise<Output<"people.listInvitations">> {
  const rows = await listInvitationRows(ctx.db, organizationId, ctx.now(), maxInvitations);
  return { data: rows.map(toInvitation) };
}

export async function createInvitation(
  ctx: Ctx,
  { organizationId, member, source }: MemberCaller,
  { body }: Input<"people.createInvitation">,
): Promise<Pending<Output<"people.createInvitation">>> {
  const email = body.email.trim();
  await lockMembers(ctx.db, organizationId);
  if (await findMemberByEmail(ctx.db, organizationId, email)) throw failure("PERSON_EXISTS", { email });
  await deleteLinks(ctx.db, organizationId, "invitation", { email });
  await refuseTooMany(ctx, organizationId);
  const link = { organizationId, kind: "invitation", role: body.role, email, createdBy: member.id } as const;
  const { token, row } = await makeLink(ctx, link);
  const address = addressOfLink(ctx.config, source.baseUrl, token);
  const answer = (mail: InvitationMail) => ({ data: { ...toInvitation(row), link: address, mail } });
  const text = { id: row.id, email, role: body.role, link: address, inviter: member.name };
  return pending(answer({ status: "none" }), async (outside) =>
    answer(await mailInvitation(outside, organizationId, text)),
  );
}

async function refuseTooMany(ctx: Ctx, organizationId: string): Promise<void> {
  if ((await countMembers(ctx.db, organizationId)) >= maxMembers)
    throw failure("PEOPLE_LIMIT", { limit: String(maxMembers), what: "people" });
  const open = await listInvitationRows(ctx.db, organizationId, ctx.now(), maxInvitations);
  if (open.length >= maxInvitations)
    throw failure("PEOPLE_LIMIT", { limit: String(maxInvitations), what: "open invitations" });
}

export async function deleteInvitation(
  ctx: Ctx,
  { organizationId }: MemberCaller,
  { params: { invitationId } }: Input<"people.deleteInvitation">,
): Promise<undefined> {
  const row = await findInvitation(ctx.db, organizationId, { id: invitationId }, ctx.now());
  if (!row) throw failure("INVITATION_NOT_FOUND", { invitationId });
  await takeLink(ctx.db, organizationId, row.id);
}
