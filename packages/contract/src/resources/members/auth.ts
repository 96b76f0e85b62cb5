// Sign-in: the member's own account and session, and one-time links. An addition of Tidings.
import { operation } from "../../operation.ts";
import { roles } from "../../roles.ts";
import { named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";

export const RoleWord = oneOf(roles, { title: "Role" });

export const linkKinds = ["first", "invitation", "reset"] as const;
export type LinkKind = (typeof linkKinds)[number];

/** Long passwords take no more time than short ones, so the maximum is only a matter of storage. */
export const passwordLength = { minLength: 10, maxLength: 1_000 };
const password = Type.String({ ...passwordLength, description: "At least 10 characters", ...secret("none") });
export const memberName = Type.String({ minLength: 1, maxLength: 128, pattern: "\\S" });
export const memberEmailLength = { minLength: 3, maxLength: 320 };
export const memberEmail = Type.String({ format: "email-address", ...memberEmailLength });

export const OidcMethod = Type.Unsafe<{ name: string } | null>({
  type: ["object", "null"],
  properties: { name: { type: "string", description: "For the button, such as `Google`" } },
  required: ["name"],
  description: "Sign-in with OpenID Connect; null if it is not configured",
});

export const SignedIn = named("SignedIn", {
  person: named("SignedInPerson", {
    _id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    role: RoleWord,
    hasPassword: Type.Boolean(),
  }),
  csrfToken: Type.String({ description: "For the header `x-csrf-token` of every non-GET request" }),
  environments: Type.Array(
    named("SignedInEnvironment", {
      _id: Type.String({ description: "For the header `x-tidings-environment`" }),
      name: Type.String(),
      identifier: Type.String(),
      type: oneOf(["dev", "prod"]),
    }),
  ),
  signIn: named("SignInMethods", { password: Type.Boolean(), oidc: OidcMethod }),
  version: Type.String({ description: "Version of the service" }),
});
export type SignedIn = Static<typeof SignedIn>;

const signedIn = { status: 200, schema: Type.Object({ data: SignedIn }, { title: "SignedInAnswer" }) } as const;

export const authOperations = {
  "auth.methods": operation({
    id: "auth.methods",
    method: "GET",
    path: "/v1/auth/methods",
    summary: "List the ways to sign in",
    category: "global",
    feature: "dashboard",
    access: "open",
    success: {
      status: 200,
      schema: Type.Object(
        {
          data: named("AuthMethods", {
            oidc: OidcMethod,
            isFirstStart: Type.Boolean({
              description:
                "No member can sign in yet: the first link is in the output of npm start, or in the file that it names",
            }),
          }),
        },
        { title: "AuthMethodsAnswer" },
      ),
    },
    errors: [],
  }),
  "auth.retrieveSession": operation({
    id: "auth.retrieveSession",
    method: "GET",
    path: "/v1/auth/session",
    summary: "Retrieve the signed-in member and what their requests need",
    category: "global",
    feature: "dashboard",
    access: "member",
    success: signedIn,
    errors: [],
  }),
  "auth.signIn": operation({
    id: "auth.signIn",
    method: "POST",
    path: "/v1/auth/sign-in",
    summary: "Sign in with email and password",
    description: "The response sets the session cookie. Attempts are limited per address and per account.",
    category: "global",
    feature: "dashboard",
    limits: ["address", "email"],
    access: "open",
    body: named("SignInIn", {
      email: memberEmail,
      password: Type.String({ minLength: 1, maxLength: 1_000, ...secret("none") }),
    }),
    success: signedIn,
    errors: ["SIGN_IN_FAILED"],
  }),
  "auth.checkLink": operation({
    id: "auth.checkLink",
    method: "POST",
    path: "/v1/auth/link/check",
    summary: "Retrieve the purpose of a one-time link",
    category: "global",
    feature: "dashboard",
    limits: ["address"],
    access: "open",
    isReadOnly: true,
    body: named("LinkCheckIn", { token: Type.String({ minLength: 1, maxLength: 200, ...secret("none") }) }),
    success: {
      status: 200,
      schema: Type.Object(
        {
          data: named("LinkCheck", {
            kind: oneOf(linkKinds, {
              description: "`first`: a new owner. `invitation`: a new member. `reset`: a new password",
            }),
            email: nullableString({ description: "null: the member chooses it" }),
            name: nullableString(),
            role: RoleWord,
          }),
        },
        { title: "LinkCheckAnswer" },
      ),
    },
    errors: ["LINK_NOT_VALID"],
  }),
  "auth.redeemLink": operation({
    id: "auth.redeemLink",
    method: "POST",
    path: "/v1/auth/link",
    summary: "Use a one-time link and sign in",
    description:
      "For links from `npm start` and `npm run sign-in`, invitations and password resets. `email` is used for a " +
      "`first` link only. A password is required unless sign-in with OpenID Connect is configured. All earlier " +
      "sessions of the member end.",
    category: "global",
    feature: "dashboard",
    limits: ["address"],
    access: "open",
    body: named("LinkIn", {
      token: Type.String({ minLength: 1, maxLength: 200, ...secret("none") }),
      name: Type.Optional(memberName),
      email: Type.Optional(memberEmail),
      password: Type.Optional(password),
    }),
    success: signedIn,
    errors: ["LINK_NOT_VALID", "PERSON_EXISTS"],
  }),
  "auth.signOut": operation({
    id: "auth.signOut",
    method: "DELETE",
    path: "/v1/auth/session",
    summary: "Sign out",
    category: "global",
    feature: "dashboard",
    role: "viewer",
    access: "member",
    success: { status: 204 },
    errors: [],
  }),
  "auth.signOutEverywhere": operation({
    id: "auth.signOutEverywhere",
    method: "DELETE",
    path: "/v1/auth/sessions",
    summary: "Sign out everywhere",
    category: "global",
    feature: "dashboard",
    role: "viewer",
    access: "member",
    success: { status: 204 },
    errors: [],
  }),
  "auth.updatePerson": operation({
    id: "auth.updatePerson",
    method: "PATCH",
    path: "/v1/auth/person",
    summary: "Change your name or password",
    description:
      "A new password requires the current one or, if there is none, a sign-in within the last 10 minutes. It ends " +
      "all the member's other sessions. Attempts are limited per account, and ten wrong ones end the session.",
    category: "global",
    feature: "dashboard",
    role: "viewer",
    limits: ["password"],
    access: "member",
    body: named("OwnPersonIn", {
      name: Type.Optional(memberName),
      password: Type.Optional(password),
      currentPassword: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, ...secret("none") })),
    }),
    success: signedIn,
    errors: ["RECENT_SIGN_IN_REQUIRED"],
  }),
};
