// What a provider is asked in addition to sending, one case after the other: to report to us, and to give us access to
// a workspace. Whatever goes wrong ends the exchange, changes nothing more and reveals no secret.

import assert from "node:assert/strict";
import { authorizationUrl, connectWorkspace, identifyPerson, registerReceipts } from "../../src/index.ts";
import type { Provider } from "../../src/kit/provider.ts";
import {
  type HttpCase,
  type OauthCase,
  type OauthReturn,
  type RegistrationCase,
  redirectUri,
  reportTarget,
} from "./case.ts";
import { assertNoSecret, assertSeen } from "./compare.ts";
import type { Act, openStage } from "./stage.ts";

type Stage = Awaited<ReturnType<typeof openStage>>;
type Acts = Record<number, Act>;

export async function runRegistrations(
  stage: Stage,
  adapter: Provider,
  one: HttpCase,
  [fresh, ...others]: [RegistrationCase, ...RegistrationCase[]],
): Promise<void> {
  const register = async ({ calls }: RegistrationCase, acts: Acts = {}) => {
    const { io, seen, end } = stage.play({ calls, acts });
    const result = await registerReceipts(one.id, reportTarget, one.credentials, io).finally(end);
    if (!result.ok) {
      assertNoSecret(adapter, one.credentials, one.minimal.message, result.reason);
      for (const form of [reportTarget.key, encodeURIComponent(reportTarget.key)]) {
        assert.ok(!result.reason.includes(form), result.reason);
      }
    }
    return { result, seen };
  };
  for (const given of [fresh, ...others]) {
    const { result, seen } = await register(given);
    assertSeen(seen, given.calls, given.name);
    if (given.signingKey) assert.deepEqual(result, { ok: true, signingKey: given.signingKey }, given.name);
    else assert.equal(result.ok, false, given.name);
  }
  for (const [index, { method }] of fresh.calls.entries()) {
    // What cannot be read must not be taken for "nothing there yet".
    const garbled: Act[] =
      method === "GET"
        ? [
            { status: 200, body: "{oops" },
            { status: 200, body: {} },
          ]
        : [];
    for (const act of ["echo-400", "reset", { status: 403, body: {} }, ...garbled] as Act[]) {
      const { result, seen } = await register(fresh, { [index]: act });
      assert.equal(result.ok, false, `call ${index} with ${JSON.stringify(act)}`);
      assert.equal(seen.length, index + 1, "nothing is called after a failure");
    }
  }
  for (const [name, { required }] of Object.entries(adapter.credentials)) {
    if (!required || name === "from" || name === "senderName") continue;
    const { [name]: _, ...credentials } = one.credentials;
    const { io, seen, end } = stage.play({ calls: [], acts: {} });
    const result = await registerReceipts(one.id, reportTarget, credentials, io).finally(end);
    assert.ok(!result.ok && result.reason.includes(name), name);
    assert.equal(seen.length, 0);
  }
}

export async function runOauth(stage: Stage, adapter: Provider, one: HttpCase, oauth: OauthCase): Promise<void> {
  const request = { scopes: ["a", "b"], redirectUri, state: "st" };
  assert.equal(authorizationUrl(one.id, request, one.credentials), oauth.address);
  assert.equal(authorizationUrl(one.id, request, one.credentials, "person"), oauth.personAddress);
  for (const back of oauth.connections) await runReturn(stage, adapter, one, back, connectWorkspace);
  for (const back of oauth.people) await runReturn(stage, adapter, one, back, identifyPerson);
}

async function runReturn(
  stage: Stage,
  adapter: Provider,
  one: HttpCase,
  { name, brought, calls, access, person, next, refused, credentials = one.credentials }: OauthReturn,
  exchange: typeof connectWorkspace | typeof identifyPerson,
): Promise<void> {
  const trade = async (acts: Acts = {}) => {
    const { io, seen, end } = stage.play({ calls, acts }, { now: new Date("2026-01-02T03:04:05Z") });
    const result = await exchange(one.id, brought, redirectUri, credentials, io).finally(end);
    if (!result.ok) {
      assertNoSecret(adapter, credentials, one.minimal.message, result.reason);
      if (brought.code) assert.ok(!result.reason.includes(brought.code), result.reason);
    }
    return { result, seen };
  };
  const { result, seen } = await trade();
  assertSeen(seen, calls, name);
  if (next) assert.deepEqual(result, { ok: true, next }, name);
  else if (access || person) {
    const made = access ? { access } : { person };
    assert.deepEqual(JSON.parse(JSON.stringify(result)), { ok: true, ...made }, name);
    for (const act of ["reset", { status: 503, body: "<html>busy</html>" }] as Act[]) {
      const { result: broken } = await trade({ 0: act });
      assert.ok(!broken.ok && broken.isTemporary, JSON.stringify(broken));
    }
    const { result: quoted } = await trade({ 0: "echo-400" });
    assert.ok(!quoted.ok && !quoted.isTemporary, JSON.stringify(quoted));
  } else {
    assert.ok(!result.ok && refused, name);
    assert.match(result.reason, refused.reason, name);
    assert.equal(result.isTemporary, refused.isTemporary, name);
  }
}
