// The members of the installation, and invitations. An addition of Tidings.
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { memberEmail, RoleWord } from "./auth.ts";

export const Member = named("Person", {
  _id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: RoleWord,
  hasPassword: Type.Boolean(),
  createdAt: isoTime("When the member joined"),
  lastSignInAt: nullableString({ description: "Last sign-in (ISO 8601, UTC)" }),
});
export type Member = Static<typeof Member>;

export const Invitation = named("Invitation", {
  _id: Type.String(),
  email: Type.String(),
  role: RoleWord,
  createdAt: isoTime("When it was created"),
  expiresAt: isoTime("When its link expires"),
});
export type Invitation = Static<typeof Invitation>;

export const InvitationMail = named(
  "InvitationMail",
  {
    status: oneOf(["sent", "failed", "unknown", "none"], {
      description:
        "`sent`: the installation's mail server accepted it. `unknown`: it did not respond in time. `none`: the " +
        "installation has no mail server (`TIDINGS_MAIL_URL`)",
    }),
    reason: Type.Optional(Type.String({ description: "Why it was not sent, or may not have been" })),
  },
  { description: "Whether the link was mailed" },
);
export type InvitationMail = Static<typeof InvitationMail>;

export const ResetLink = named("ResetLink", {
  _id: Type.String(),
  personId: Type.String({ description: "Whose password it sets" }),
  name: Type.String(),
  email: Type.String(),
  madeBy: Type.String({ description: "Name of the owner who created it" }),
  createdAt: isoTime("When it was created"),
  expiresAt: isoTime("When it expires"),
});
export type ResetLink = Static<typeof ResetLink>;

const memberPath = Type.Object({ personId: Type.String() });
const link = Type.String({ description: "Works once; shown in this response only", ...secret("owner") });

export const memberOperations = {
  "people.list": operation({
    id: "people.list",
    method: "GET",
    path: "/v1/people",
    summary: "List the members of the installation",
    description: "Sorted by name; there are at most 1,000.",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    success: { status: 200, schema: Type.Object({ data: Type.Array(Member) }, { title: "PersonList" }) },
    errors: [],
  }),
  "people.update": operation({
    id: "people.update",
    method: "PATCH",
    path: "/v1/people/{personId}",
    summary: "Change a member's role",
    description: "Invitations and reset links created by a member who is no longer an owner stop working.",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    params: memberPath,
    body: named("PersonUpdate", { role: RoleWord }),
    success: { status: 200, schema: Type.Object({ data: Member }, { title: "PersonAnswer" }) },
    errors: ["PERSON_NOT_FOUND", "LAST_OWNER"],
  }),
  "people.delete": operation({
    id: "people.delete",
    method: "DELETE",
    path: "/v1/people/{personId}",
    summary: "Remove a member",
    description:
      "All the member's sessions end immediately, and invitations and reset links that the member created stop " +
      "working. API keys that the member created keep working.",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    params: memberPath,
    success: { status: 204 },
    errors: ["PERSON_NOT_FOUND", "LAST_OWNER"],
  }),
  "people.createResetLink": operation({
    id: "people.createResetLink",
    method: "POST",
    path: "/v1/people/{personId}/reset-link",
    summary: "Create a link for a member to set a new password",
    description: "It works once, within 24 hours. The member's earlier links stop working.",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    params: memberPath,
    success: {
      status: 201,
      schema: Type.Object(
        { data: named("NewResetLink", { link, expiresAt: isoTime("When it expires") }) },
        { title: "ResetLinkAnswer" },
      ),
    },
    errors: ["PERSON_NOT_FOUND"],
  }),
  "people.listResetLinks": operation({
    id: "people.listResetLinks",
    method: "GET",
    path: "/v1/people/reset-links",
    summary: "List open reset links",
    description: "Newest first; a member has at most one. The links themselves are not shown again.",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    success: { status: 200, schema: Type.Object({ data: Type.Array(ResetLink) }, { title: "ResetLinkList" }) },
    errors: [],
  }),
  "people.deleteResetLink": operation({
    id: "people.deleteResetLink",
    method: "DELETE",
    path: "/v1/people/reset-links/{resetLinkId}",
    summary: "Revoke a reset link",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    params: Type.Object({ resetLinkId: Type.String() }),
    success: { status: 204 },
    errors: ["RESET_LINK_NOT_FOUND"],
  }),
  "people.listInvitations": operation({
    id: "people.listInvitations",
    method: "GET",
    path: "/v1/people/invitations",
    summary: "List open invitations",
    description: "Newest first; there are at most 100.",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    success: { status: 200, schema: Type.Object({ data: Type.Array(Invitation) }, { title: "InvitationList" }) },
    errors: [],
  }),
  "people.createInvitation": operation({
    id: "people.createInvitation",
    method: "POST",
    path: "/v1/people/invitations",
    summary: "Invite a member",
    description:
      "The link works once, within 7 days. A new invitation for the same address replaces the earlier one. If the " +
      "installation has a mail server (`TIDINGS_MAIL_URL`), the link is mailed; integrations are not used for it.",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    body: named("InvitationIn", { email: memberEmail, role: RoleWord }),
    success: {
      status: 201,
      schema: Type.Object(
        { data: named("InvitationWithLink", { ...Invitation.properties, link, mail: InvitationMail }) },
        { title: "InvitationAnswer" },
      ),
    },
    errors: ["PERSON_EXISTS", "PEOPLE_LIMIT"],
  }),
  "people.deleteInvitation": operation({
    id: "people.deleteInvitation",
    method: "DELETE",
    path: "/v1/people/invitations/{invitationId}",
    summary: "Revoke an invitation",
    category: "global",
    feature: "dashboard",
    role: "owner",
    access: "member",
    params: Type.Object({ invitationId: Type.String() }),
    success: { status: 204 },
    errors: ["INVITATION_NOT_FOUND"],
  }),
};
