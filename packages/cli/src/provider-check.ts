// Asks the service to call a provider with the stored credentials. Nothing is changed: an update without a field but
// `check`.
import { TidingsError } from "@tidings/client/source";
import type { Integration } from "@tidings/contract";
import type { Session } from "./session.ts";

export type ProviderCheck = { identifier: string; ok: boolean; text: string };

export async function checkProvider({ tidings }: Session, integration: Integration): Promise<ProviderCheck> {
  const { identifier } = integration;
  try {
    await tidings.integrations.update({ params: { integrationId: identifier }, body: { check: true } });
    return { identifier, ok: true, text: "the provider accepts the credentials" };
  } catch (error) {
    if (!(error instanceof TidingsError) || error.status === 0 || error.status >= 500) throw error;
    return { identifier, ok: false, text: error.message.replace(/^integrations\.update: \d+ /, "") };
  }
}
