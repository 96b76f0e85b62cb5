// Removes device tokens that a provider reports as expired, so that later messages are not sent to them.
import type { Ctx } from "../../context.ts";
import { lockSubscribersByIds } from "../../store/subscribers/subscribers.batch.ts";
import { type SubscriberRow, setChannelsOfMany } from "../../store/subscribers/subscribers.ts";
import type { StoredChannel } from "../../store/tables.ts";
import { openChannel, sealChannel } from "../encrypted-parts.ts";

export type ExpiredToken = { subscriber_id: string; integration_id: string; token: string };

/**
 * Takes the tokens out of the subscribers' channels. Rows are locked in order, and each is rewritten from what it holds
 * then: a token that was registered meanwhile stays. Two statements, and one more for every other environment of the
 * batch.
 */
export async function removeDeviceTokens(ctx: Ctx, tokens: ExpiredToken[]): Promise<void> {
  const dead = Map.groupBy(tokens, (one) => one.subscriber_id);
  const rows = await lockSubscribersByIds(ctx.db, [...dead.keys()]);
  for (const [environmentId, inside] of Map.groupBy(rows, (row) => row.environment_id)) {
    const changed = inside.map((row) => ({ id: row.id, channels: withoutTokens(ctx, row, dead.get(row.id)!) }));
    await setChannelsOfMany(ctx.db, environmentId, changed, ctx.now());
  }
}

const withoutTokens = ({ secrets }: Ctx, { channels }: SubscriberRow, dead: ExpiredToken[]): StoredChannel[] =>
  channels.map((stored) => {
    const gone = dead.filter((one) => one.integration_id === stored._integrationId).map((one) => one.token);
    if (gone.length === 0) return stored;
    const { credentials, ...entry } = openChannel(secrets, stored);
    if (!credentials.deviceTokens) return stored;
    const deviceTokens = credentials.deviceTokens.filter((token) => !gone.includes(token));
    return sealChannel(secrets, { ...entry, credentials: { ...credentials, deviceTokens } });
  });
