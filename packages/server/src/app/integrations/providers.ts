// The list of providers. It is the same for every environment and changes only with a release.
import type { Input, Output, Provider } from "@tidings/contract";
import { listProviders, type ProviderInfo } from "@tidings/providers";
import type { Caller, Ctx } from "../../context.ts";

const toProvider = ({ id, channel, name, docs, help, credentials, limits, ...abilities }: ProviderInfo): Provider => ({
  id,
  channel,
  name,
  docs,
  help,
  credentials: Object.entries(credentials).map(([key, field]) => ({
    ...field,
    key,
    options: field.options ? [...field.options] : undefined,
  })),
  limits: limits ?? {},
  receipts: abilities.receipts,
  canCheck: abilities.hasCheck,
  autoConfigure: abilities.autoConfigure,
  unsend: abilities.unsend,
  isCapture: abilities.capture ?? false,
});

const providers: readonly Provider[] = listProviders().map(toProvider);

export async function list(
  _ctx: Ctx,
  _caller: Caller,
  { query }: Input<"providers.list">,
): Promise<Output<"providers.list">> {
  return providers.filter(({ channel }) => query.channel === undefined || channel === query.channel);
}
