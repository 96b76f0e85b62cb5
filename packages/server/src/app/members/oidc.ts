// Sign-in with OpenID Connect: discovery, authorisation code, PKCE, state and nonce. Only members who were invited, or
// whose address is of a domain that the settings name, can sign in. All calls to the issuer go through the guard of
// outbound calls.
import { emailPattern, memberEmailLength } from "@tidings/contract";
import type { Configuration, CustomFetch } from "openid-client";
import type { NetworkCtx, Source } from "../../context.ts";
import { foldAddress } from "../../lib/addresses.ts";
import { sha256 } from "../../lib/secrets.ts";
import { sealSession } from "../../lib/tokens/member-tokens.ts";
import { inTransaction } from "../../store/db.ts";
import { deleteLinks, findInvitation } from "../../store/members/links.ts";
import {
  findMemberByEmail,
  findMemberByOidcSubject,
  insertMember,
  lockMembers,
  type MemberRow,
  updateMember,
} from "../../store/members/members.ts";
import { takeOidcState } from "../../store/members/sessions.ts";
import { recordFailedSignIn } from "./failed-sign-ins.ts";
import { organizationOf, startSession } from "./sessions.ts";

export const oidcCallbackPath = "/v1/auth/oidc/callback";
/** How long a sign-in at the issuer may take. */
export const oidcStateSeconds = 600;
/** OpenID Connect allows 255 characters for `sub`; the issuer comes before it. */
const maxSubjectLength = 1_000;
const discoveryKeptMs = 3_600_000;

/** What the browser keeps, encrypted, while the member is at the issuer. */
type State = { state: string; nonce: string; verifier: string; until: number };

export type OidcResult =
  | { kind: "signed-in"; cookie: string }
  | { kind: "expired" }
  | { kind: "refused"; reason: string }
  | { kind: "unreachable"; reason: string }
  | { kind: "unverified" }
  | { kind: "unusable" }
  | { kind: "not-invited"; email: string };

/** Loaded on first use, because most installations do not need it. */
const library = () => import("openid-client");

/** `fetch` for the library, over the guarded HTTP of the service. */
function guardedFetch(ctx: NetworkCtx): CustomFetch {
  return async (url, { method, headers, body }) => {
    const text = body === undefined || body === null ? undefined : String(body);
    const reply = await ctx.webhookHttp({ method: method as "GET" | "POST", url, headers, body: text });
    // A reply without a body must not have an empty one.
    return new Response(reply.status === 204 ? null : reply.text, { status: reply.status, headers: reply.headers });
  };
}

export function createOidc(ctx: NetworkCtx) {
  const settings = ctx.config.oidc!;
  const redirectUri = `${ctx.config.publicUrl}${oidcCallbackPath}`;
  let found: { at: number; configuration: Configuration } | undefined;

  const discover = async (): Promise<Configuration> => {
    if (found && ctx.now().getTime() - found.at < discoveryKeptMs) return found.configuration;
    const client = await library();
    const issuer = new URL(settings.issuer);
    const configuration = await client.discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
      [client.customFetch]: guardedFetch(ctx),
      execute: [
        // The signature of an ID token is checked even though it comes from the issuer directly.
        client.enableNonRepudiationChecks,
        // The settings accept http for this machine only.
        ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    });
    found = { at: ctx.now().getTime(), configuration };
    return configuration;
  };

  return {
    /** Where the browser goes, and what it keeps meanwhile. */
    async start(): Promise<{ address: string; cookie: string }> {
      const client = await library();
      const configuration = await discover();
      const verifier = client.randomPKCECodeVerifier();
      const state: State = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier,
        until: ctx.now().getTime() + oidcStateSeconds * 1_000,
      };
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state: state.state,
        nonce: state.nonce,
      });
      return { address: address.href, cookie: ctx.secrets.encrypt(JSON.stringify(state)) };
    },

    /** `query`: of the callback, with its question mark. */
    async finish(query: string, cookie: string | undefined, source: Source): Promise<OidcResult> {
      const kept = readState(ctx, cookie);
      if (!kept || !(await takeState(ctx, kept, query))) return { kind: "expired" };
      const identity = await discover()
        .then((configuration) => identify(configuration, new URL(`${redirectUri}${query}`), kept))
        .catch((error: Error): OidcResult => ({ kind: "unreachable", reason: error.message }));
      return "kind" in identity ? identity : admit(ctx, identity, source);
    },
  };
}

function readState(ctx: NetworkCtx, cookie: string | undefined): State | null {
  try {
    const state = JSON.parse(ctx.secrets.decrypt(cookie ?? "")) as State;
    return state.until > ctx.now().getTime() ? state : null;
  } catch {
    return null;
  }
}

/** If two requests come back with the same state, one gets it. A request with another state does not use it up. */
async function takeState(ctx: NetworkCtx, { state, until }: State, query: string): Promise<boolean> {
  if (new URLSearchParams(query).get("state") !== state) return false;
  return takeOidcState(ctx.db, await organizationOf(ctx), sha256(state), new Date(until));
}

type Identity = { subject: string; email: string; name: string };

async function identify(configuration: Configuration, address: URL, kept: State): Promise<Identity | OidcResult> {
  const client = await library();
  try {
    const tokens = await client.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: kept.verifier,
      expectedState: kept.state,
      expectedNonce: kept.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const hasEmail = typeof claims.email === "string";
    const known = hasEmail ? claims : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    // Without this, a member could claim the address of another at a careless issuer.
    if (typeof known.email !== "string" || known.email_verified !== true) return { kind: "unverified" };
    return readIdentity(`${claims.iss} ${claims.sub}`, known.email, known.name);
  } catch (error) {
    // The library explains what was wrong with the response; a response of the issuer has a word for it.
    const { error: word, code } = error as { error?: string; code?: string };
    if (word === undefined && code === undefined) throw error;
    return { kind: "refused", reason: String(word ?? code).slice(0, 100) };
  }
}

/** The contract's rules for addresses hold for an issuer too, which may let its accounts choose any text. */
function readIdentity(subject: string, address: string, given: unknown): Identity | OidcResult {
  const email = address.trim();
  const isAddress = emailPattern.test(email) && email.length <= memberEmailLength.maxLength;
  if (!isAddress || /\p{Cc}/u.test(subject) || subject.length > maxSubjectLength) return { kind: "unusable" };
  const name = typeof given === "string" ? given.replace(/[\p{Cc}\p{Cf}]+/gu, " ").trim() : "";
  return { subject, email, name: (name || email).slice(0, 128) };
}

async function admit(ctx: NetworkCtx, identity: Identity, source: Source): Promise<OidcResult> {
  return inTransaction(ctx.db, async (tx) => {
    const inside = { ...ctx, db: tx };
    const organizationId = await organizationOf(inside);
    await lockMembers(tx, organizationId);
    const row = await findOrAddMember(inside, organizationId, identity);
    if (!row) {
      await recordFailedSignIn(inside, { organizationId, email: identity.email, method: "oidc", source });
      return { kind: "not-invited", email: identity.email };
    }
    const secret = await startSession(inside, { organizationId, row, source, operation: "auth.signInWithOidc" });
    return { kind: "signed-in", cookie: sealSession(ctx.secrets, secret) };
  });
}

/**
 * By the subject that the issuer gave before, else by the address: of a member, an invitation, or a domain of the
 * settings.
 */
async function findOrAddMember(
  ctx: NetworkCtx,
  organizationId: string,
  { subject, email, name }: Identity,
): Promise<MemberRow | null> {
  const bySubject = await findMemberByOidcSubject(ctx.db, organizationId, subject);
  if (bySubject) return bySubject;
  const byEmail = await findMemberByEmail(ctx.db, organizationId, email);
  // An address that another account of the issuer has used belongs to that account.
  if (byEmail)
    return byEmail.oidc_subject === null
      ? updateMember(ctx.db, organizationId, byEmail.id, { oidc_subject: subject })
      : null;
  const invitation = await findInvitation(ctx.db, organizationId, { email }, ctx.now());
  const { domains, role } = ctx.config.oidc!;
  const isOfDomain = domains.includes(foldAddress(email.slice(email.indexOf("@") + 1)));
  if (!invitation && !isOfDomain) return null;
  await deleteLinks(ctx.db, organizationId, "invitation", { email });
  return insertMember(ctx.db, {
    id: ctx.newId(),
    organization_id: organizationId,
    name,
    email,
    role: invitation?.role ?? role,
    password_hash: null,
    oidc_subject: subject,
    created_at: ctx.now(),
  });
}
