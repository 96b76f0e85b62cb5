// Targets of an alert rule as requests name them: checked, and read into the form that is stored.
import type { AlertTargetIn } from "@tidings/contract";
import type { Caller, NetworkCtx } from "../../context.ts";
import { faultCollector } from "../../failure.ts";
import { newWebhookSecret } from "../../lib/standard-webhooks.ts";
import type { Target } from "../../pipeline/alerts/targets.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import { findUrlFault } from "../webhooks/webhooks.ts";

type Field = Exclude<keyof AlertTargetIn, "type">;

const fieldsOf: Record<AlertTargetIn["type"], readonly Field[]> = {
  email: ["to", "integrationIdentifier"],
  owners: [],
  webhook: ["url", "secret"],
  slack: ["url"],
};
const allFields: readonly Field[] = ["to", "integrationIdentifier", "url", "secret"];

type Faults = ReturnType<typeof faultCollector>;

/** Fields of another type would be ignored, and nobody would notice. */
function addForeignFields(faults: Faults, target: AlertTargetIn, place: string): void {
  for (const field of allFields) {
    if (target[field] === undefined || fieldsOf[target.type].includes(field)) continue;
    faults.add(`${place}.${field}`, `${place}.${field} does not belong to a target of the type ${target.type}`);
  }
}

/** 422 that names every target that cannot be used. Makes calls to name servers. */
export async function checkTargets(ctx: NetworkCtx, caller: Caller, given: AlertTargetIn[] = []): Promise<void> {
  const faults = faultCollector();
  const named = given.some(({ integrationIdentifier }) => integrationIdentifier !== undefined);
  const integrations = named ? await listIntegrations(ctx.db, caller.environmentId) : [];
  const emails = new Set(integrations.filter(({ channel }) => channel === "email").map(({ identifier }) => identifier));
  await Promise.all(
    given.map(async (target, index) => {
      const place = `targets.${index}`;
      addForeignFields(faults, target, place);
      const { integrationIdentifier: identifier, url } = target;
      if (identifier !== undefined && !emails.has(identifier)) {
        const field = `${place}.integrationIdentifier`;
        faults.add(field, `${field} must name an email integration of this environment`, identifier);
      }
      if (url === undefined) return;
      const fault = await findUrlFault(ctx, caller, { field: `${place}.url`, text: url });
      if (fault) faults.add(`${place}.url`, fault);
    }),
  );
  faults.throwIfAny();
}

function readTarget(given: AlertTargetIn, stored: Target[]): Target {
  const { type, to = [], integrationIdentifier, url = "", secret } = given;
  if (type === "email") return { type, to: [...new Set(to)], ...(integrationIdentifier && { integrationIdentifier }) };
  if (type === "owners") return { type };
  if (type === "slack") return { type, url };
  const kept = stored.find((target) => target.type === "webhook" && target.url === url);
  return { type, url, secret: secret ?? (kept?.type === "webhook" ? kept.secret : newWebhookSecret()) };
}

/** A webhook that is kept without its secret keeps the stored one. The same target is kept once. */
export function readTargets(given: AlertTargetIn[], stored: Target[]): Target[] {
  const targets = given.map((target) => readTarget(target, stored));
  const nameOf = (target: Target) => ("url" in target ? `${target.type} ${target.url}` : JSON.stringify(target));
  return [...new Map(targets.map((target) => [nameOf(target), target])).values()];
}
