// Where a webhook may point. The address is checked again at each delivery: a name may resolve to another one by then.
import type { Caller, NetworkCtx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { AddressRefused } from "../../lib/url-guard.ts";

/** A name server that takes longer does not hold up the request: the delivery will tell. */
const resolveMs = 2_000;

export async function checkWebhookUrl(ctx: NetworkCtx, caller: Caller, text: string): Promise<void> {
  const refuse = (message: string) => invalid({ url: { messages: [message], value: text } });
  const url = URL.parse(text);
  if (!url) throw refuse("url must be a URL, such as https://example.com/webhooks");
  const isDevelopment = caller.environmentType === "dev";
  if (url.protocol !== "https:" && !(isDevelopment && url.protocol === "http:")) {
    throw refuse(isDevelopment ? "url must start with https:// or http://" : "url must start with https://");
  }
  if (url.username || url.password) throw refuse("url must not contain a user name or password");
  const fault = await Promise.race([addressFault(ctx, url.hostname), pause(resolveMs)]);
  if (fault) throw refuse(`url must not point to a private or local address: ${fault}`);
}

/** Why the host may not be connected to. One that cannot be resolved may be on its way into the name servers. */
const addressFault = async (ctx: NetworkCtx, host: string): Promise<string | null> => {
  try {
    await ctx.resolveHost(host);
    return null;
  } catch (error) {
    return error instanceof AddressRefused ? error.message : null;
  }
};

const pause = (ms: number): Promise<null> => new Promise((resolve) => setTimeout(resolve, ms, null).unref());
