// Registers our inbound webhook with a provider, so that it reports deliveries without manual setup. The provider is
// called before the transaction; its response is returned to the caller either way, and only a success is stored.
import { randomBytes } from "node:crypto";
import type { Input, Output } from "@tidings/contract";
import { findProvider, registerReceipts } from "@tidings/providers";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import {
  claimRegistration,
  lockIntegrations,
  releaseRegistration,
  updateIntegration,
} from "../../store/integrations/integrations.ts";
import { seal, unseal } from "./credentials.ts";
import { callProvider } from "./integration-checks.ts";
import { loadHealth } from "./integration-health.ts";
import { requireIntegration, toIntegration } from "./integrations.ts";

/** The message for the caller and, after a success, the key that reports are verified with. */
type Registration = { message: string; signingKey?: string };

const refusal = (message: string): Registration => ({ message });

export async function register(
  ctx: NetworkCtx,
  caller: Caller,
  { params }: Input<"integrations.autoConfigure">,
): Promise<Registration> {
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const provider = findProvider(row.provider_id);
  const name = provider?.name ?? row.provider_id;
  const { publicUrl } = ctx.config;
  const path = `/v2/inbound-webhooks/delivery-providers/${row.environment_id}/${row.id}`;
  const byHand = publicUrl ? `enter ${publicUrl}${path} there` : `enter the path ${path} of this service there`;
  if (!provider?.autoConfigure) {
    return refusal(`The webhook of ${name} cannot be registered automatically: ${byHand}`);
  }
  if (publicUrl === "") {
    return refusal(
      `${name} has to know where this service is reached: set TIDINGS_PUBLIC_URL and try again, or ${byHand}`,
    );
  }
  const { inboundWebhookSigningKey: known } = unseal(ctx.secrets, row.configurations);
  const key = typeof known === "string" && known !== "" ? known : randomBytes(32).toString("base64url");
  const target = { url: `${publicUrl}${path}`, key };
  const credentials = unseal(ctx.secrets, row.credentials);
  // Concurrent requests would each find no webhook at the provider, and each register one.
  if (!(await claimRegistration(ctx.db, caller.environmentId, row.id))) {
    // 429 is not stored under an idempotency key: the other request may be the first try of this one.
    const message = `The webhook of ${name} is being registered by another request at this moment`;
    throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": "5" } });
  }
  const result = await callProvider(ctx, caller, () =>
    registerReceipts(row.provider_id, target, credentials, ctx.io),
  ).finally(() => releaseRegistration(ctx.db, caller.environmentId, row.id));
  if (!result.ok) {
    const reason = result.reason.replace(/\.$/, "");
    return refusal(
      `The webhook could not be registered with ${name}: ${reason}. Correct this and try again, or ${byHand}`,
    );
  }
  return { message: `${name} reports to ${target.url}`, signingKey: result.signingKey };
}

export async function store(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"integrations.autoConfigure">,
  { message, signingKey }: Registration,
): Promise<Output<"integrations.autoConfigure">> {
  if (signingKey === undefined) return { success: false, message };
  await lockIntegrations(ctx.db, caller.environmentId);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const configurations = seal(ctx.secrets, {
    ...unseal(ctx.secrets, row.configurations),
    inboundWebhookEnabled: true,
    inboundWebhookSigningKey: signingKey,
  });
  const stored = await updateIntegration(ctx.db, { ...row, configurations, updated_at: ctx.now() });
  const health = (await loadHealth(ctx, caller, [row.id])).get(row.id);
  return { success: true, message, integration: toIntegration(ctx, caller, stored, health) };
}
