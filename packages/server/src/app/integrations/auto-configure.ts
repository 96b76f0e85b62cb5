// Registering with a provider for its delivery reports, so that nobody has to carry an address and a key from one place to
// the other. The provider is asked before anything is locked, and whatever it answers is told; only a success is stored.
import { randomBytes } from "node:crypto";
import type { Input, Output } from "@tidings/contract";
import { findProvider, registerReceipts } from "@tidings/providers";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import {
  claimRegistration,
  findHealth,
  lockIntegrations,
  releaseRegistration,
  updateIntegration,
} from "../../store/integrations/integrations.ts";
import { seal, unseal } from "./credentials.ts";
import { callProvider } from "./integration-checks.ts";
import { requireIntegration, toIntegration } from "./integrations.ts";

/** What the caller is told, and, after a success, what reports are verified with. */
type Registered = { message: string; signingKey?: string };

const refusal = (message: string): Registered => ({ message });

export async function register(
  ctx: NetworkCtx,
  caller: Caller,
  { params }: Input<"integrations.autoConfigure">,
): Promise<Registered> {
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
  // Two at once would both find nothing and both register.
  if (!(await claimRegistration(ctx.db, caller.environmentId, row.id))) {
    // No answer to keep under an idempotency key: the other request may be this one, sent once more.
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
  { message, signingKey }: Registered,
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
  const health = await findHealth(ctx.db, caller.environmentId, row.id);
  return { success: true, message, integration: toIntegration(ctx, caller, stored, health) };
}
