// A test of an alert rule: each target gets one message at once, so that the member who asks sees what it said.
import type { AlertTargetTest, Input, Output } from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { type Place, writeTestLetter } from "../../pipeline/alerts/deliver/letter.ts";
import { sendToTarget } from "../../pipeline/alerts/deliver/send.ts";
import { openTargets, toTargetView } from "../../pipeline/alerts/targets.ts";
import { findEnvironment } from "../../store/environments/environments.ts";
import { callProvider } from "../integrations/integration-checks.ts";
import { requireRule } from "./alert-rules.ts";

/** An attempt may not take longer than a request: 10 targets are called at the same time. */
export async function send(
  ctx: NetworkCtx,
  caller: Caller,
  { params }: Input<"alertRules.test">,
): Promise<AlertTargetTest[]> {
  const { environmentId, organizationId } = caller;
  const rule = await requireRule(ctx, caller, params.ruleId);
  const environment = await findEnvironment(ctx.db, organizationId, environmentId);
  if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId });
  const { name, identifier } = environment;
  const place: Place = { environmentId, name, identifier, publicUrl: ctx.config.publicUrl };
  const letter = writeTestLetter(ctx.newId(), place, { ruleName: rule.name, at: ctx.now().toISOString() });
  const sending = { organizationId, letter, avoid: new Set<string>() };
  return callProvider(ctx, caller, () =>
    Promise.all(
      openTargets(ctx.secrets, rule.targets).map(async (target): Promise<AlertTargetTest> => {
        const { isSent, detail } = await sendToTarget(ctx, target, sending);
        return { target: toTargetView(target), status: isSent ? "sent" : "failed", detail };
      }),
    ),
  );
}

export const report = async (
  _ctx: Ctx,
  _caller: Caller,
  _input: Input<"alertRules.test">,
  sent: AlertTargetTest[],
): Promise<Output<"alertRules.test">> => sent;
