// What an integration keeps sealed, opened once for a batch: deciphering it for every message would cost more than
// building the request.
import type { Ctx } from "../../context.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";

/** What the integration says beside its credentials, about the messages that go through it. */
export type Configurations = { configurationSetName?: string; maxPerSecond?: number };

/** `credentials` is null when they cannot be read. */
export type Opened = { credentials: Record<string, unknown> | null; configurations: Configurations };

/** Opens each integration when it is first asked for. */
export function createOpener(ctx: Pick<Ctx, "secrets" | "log">): (integration: IntegrationRow) => Opened {
  const known = new Map<string, Opened>();
  return (integration) => {
    const opened = known.get(integration.id) ?? open(ctx, integration);
    known.set(integration.id, opened);
    return opened;
  };
}

function open({ secrets, log }: Pick<Ctx, "secrets" | "log">, integration: IntegrationRow): Opened {
  const read = (sealed: string | null) => (sealed ? JSON.parse(secrets.decrypt(sealed)) : {});
  try {
    return { credentials: read(integration.credentials), configurations: read(integration.configurations) };
  } catch (error) {
    log.error({ err: error, integration: integration.identifier }, "credentials cannot be read");
    return { credentials: null, configurations: {} };
  }
}
