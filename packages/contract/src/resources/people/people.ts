// The people of the installation, and invitations. An addition of Tidings.
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { personEmail, RoleWord } from "./auth.ts";

export const Person = named("Person", {
  _id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: RoleWord,
  hasPassword: Type.Boolean(),
  createdAt: isoTime("When the person joined"),
  lastSignInAt: nullableString({ description: "Last sign-in (ISO 8601, UTC)" }),
});
export type Person = Static<typeof Person>;

export const Invitation = named("Invitation", {
  _id: Type.String(),
  email: Type.String(),
  role: RoleWord,
  createdAt: isoTime("When it was made"),
  expiresAt: isoTime("Until when its link works"),
});
export type Invitation = Static<typeof Invitation>;

export const InvitationMail = named(
  "InvitationMail",
  {
    status: oneOf(["sent", "failed", "unknown", "none"], {
      description:
        "`sent`: the mail server of the installation accepted it. `unknown`: it did not answer in time. `none`: the installation has " +
        "no mail server (`TIDINGS_MAIL_URL`)",
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
  madeBy: Type.String({ description: "Name of the owner who made it" }),
  createdAt: isoTime("When it was made"),
  expiresAt: isoTime("Until when it works"),
});
export type ResetLink = Static<typeof ResetLink>;

const personPath = Type.Object({ personId: Type.String() });
const link = Type.String({ description: "Works once; shown in this answer only", ...secret("owner") });

export const peopleOperations = {
  "people.list": operation({
    id: "people.list",
    method: "GET",
    path: "/v1/people",
    summary: "List the people of the installation",
    description: "By name; there are at most 1,000.",
    category: "global",
    access: "person",
    success: { status: 200, schema: Type.Object({ data: Type.Array(Person) }, { title: "PersonList" }) },
    errors: [],
  }),
  "people.update": operation({
    id: "people.update",
    method: "PATCH",
    path: "/v1/people/{personId}",
    summary: "Change the role of a person",
    description: "The invitations and reset links of a person who is no longer an owner stop working.",
    category: "global",
    access: "person",
    params: personPath,
    body: named("PersonUpdate", { role: RoleWord }),
    success: { status: 200, schema: Type.Object({ data: Person }, { title: "PersonAnswer" }) },
    errors: ["PERSON_NOT_FOUND", "LAST_OWNER"],
  }),
  "people.delete": operation({
    id: "people.delete",
    method: "DELETE",
    path: "/v1/people/{personId}",
    summary: "Remove a person",
    description:
      "All sessions of the person end at once, and the invitations and reset links that the person made stop working. API keys " +
      "that the person made keep working.",
    category: "global",
    access: "person",
    params: personPath,
    success: { status: 204 },
    errors: ["PERSON_NOT_FOUND", "LAST_OWNER"],
  }),
  "people.createResetLink": operation({
    id: "people.createResetLink",
    method: "POST",
    path: "/v1/people/{personId}/reset-link",
    summary: "Make a link with which a person sets a new password",
    description: "It works once and for 24 hours. Earlier links of the person stop working.",
    category: "global",
    access: "person",
    params: personPath,
    success: {
      status: 201,
      schema: Type.Object(
        { data: named("NewResetLink", { link, expiresAt: isoTime("Until when it works") }) },
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
    description: "Newest first; a person has at most one. The links themselves are not shown again.",
    category: "global",
    access: "person",
    success: { status: 200, schema: Type.Object({ data: Type.Array(ResetLink) }, { title: "ResetLinkList" }) },
    errors: [],
  }),
  "people.deleteResetLink": operation({
    id: "people.deleteResetLink",
    method: "DELETE",
    path: "/v1/people/reset-links/{resetLinkId}",
    summary: "Take a reset link back",
    category: "global",
    access: "person",
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
    access: "person",
    success: { status: 200, schema: Type.Object({ data: Type.Array(Invitation) }, { title: "InvitationList" }) },
    errors: [],
  }),
  "people.createInvitation": operation({
    id: "people.createInvitation",
    method: "POST",
    path: "/v1/people/invitations",
    summary: "Invite a person",
    description:
      "The link works once and for 7 days. A new invitation for the same address replaces the earlier one. Where the " +
      "installation has a mail server (`TIDINGS_MAIL_URL`), the link is mailed; integrations are not used for it.",
    category: "global",
    access: "person",
    body: named("InvitationIn", { email: personEmail, role: RoleWord }),
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
    summary: "Take an invitation back",
    category: "global",
    access: "person",
    params: Type.Object({ invitationId: Type.String() }),
    success: { status: 204 },
    errors: ["INVITATION_NOT_FOUND"],
  }),
};
