// Retracting what was sent: every case of a provider, and what all providers have in common when such a call fails.

import assert from "node:assert/strict";
import { type UnsendOutcome, unsend } from "../../src/index.ts";
import type { Provider } from "../../src/kit/provider.ts";
import type { ExpectedRequest, HttpCase, UnsendCase } from "./case.ts";
import { assertNoSecret, assertSeen } from "./compare.ts";
import type { Act, openStage, Seen } from "./stage.ts";

type Stage = Awaited<ReturnType<typeof openStage>>;
type Played = { act: Act; at?: number; timeoutMs?: number; refuse?: true };

export async function runUnsends(stage: Stage, adapter: Provider, one: HttpCase, cases: readonly UnsendCase[]) {
  for (const unsending of cases) {
    const last = unsending.calls.length - 1;
    const play = async ({ act, at = last, ...options }: Played): Promise<{ outcome: UnsendOutcome; seen: Seen[] }> => {
      const scenario = { calls: unsending.calls as readonly ExpectedRequest[], acts: { [at]: act } };
      const { io, seen, end } = stage.play(scenario, { ...options, ...(one.now ? { now: new Date(one.now) } : {}) });
      const credentials = unsending.credentials ?? one.credentials;
      const outcome = await unsend(one.id, unsending.sent, unsending.unsending, credentials, io).finally(end);
      if ("reason" in outcome) assertNoSecret(adapter, credentials, unsending.sent.content, outcome.reason);
      return { outcome, seen };
    };
    const { name } = unsending;
    for (const { reply, at, outcome: expected } of unsending.outcomes) {
      const { outcome, seen } = await play({ act: reply, at });
      assertUndone(outcome, expected, name);
      if (reply.status < 300 && (at ?? last) === last) assertSeen(seen, unsending.calls, name);
    }
    if (last < 0) continue;
    const later: ExpectedUndone = { kind: "failed", canRetry: true };
    assertUndone((await play({ act: { status: 429 } })).outcome, later, `${name}: 429`);
    assertUndone((await play({ act: { status: 503, body: "<html>busy</html>" } })).outcome, later, `${name}: 503`);
    assertUndone((await play({ act: "reset" })).outcome, later, `${name}: reset`);
    assertUndone((await play({ act: { status: 200 }, refuse: true })).outcome, later, `${name}: refused`);
    const echoed = await play({ act: "echo-400" });
    assert.ok("reason" in echoed.outcome, `${name}: 400`);
  }
  // Silence costs the time limit, so one case is enough: all go through the same io.
  const [first] = cases.filter(({ calls }) => calls.length === 1);
  if (!first) return;
  const { io, end } = stage.play(
    { calls: first.calls as readonly ExpectedRequest[], acts: { 0: "silence" } },
    { timeoutMs: 500 },
  );
  const silent = await unsend(one.id, first.sent, first.unsending, first.credentials ?? one.credentials, io).finally(
    end,
  );
  assertUndone(silent, { kind: "failed", canRetry: true }, "silence");
}

type ExpectedUndone = UnsendCase["outcomes"][number]["outcome"];

function assertUndone(outcome: UnsendOutcome, { reason, ...expected }: ExpectedUndone, name: string): void {
  const { reason: said = "", ...rest } = outcome as UnsendOutcome & { reason?: string };
  assert.deepEqual(rest, expected, `${name}: ${JSON.stringify(outcome)}`);
  if (reason) assert.match(said, reason, name);
}
