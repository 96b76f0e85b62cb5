import {
  newSubscriber,
  type RecipientRow,
  type SubscriberRow,
  type SubscriberUpsert,
  type UpsertedSubscriber,
  withFields,
} from "../../../../src/store/subscribers/subscribers.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/subscribers/subscribers.ts";

const toRecipient = ({ created_at, updated_at, ...row }: SubscriberRow): RecipientRow => row;

const findByIds = statement("findSubscribersByIds", (tx, _environmentId: string, ids: string[]) =>
  tx.where<SubscriberRow>("subscribers", ({ id }) => ids.includes(id)).map(toRecipient),
);

export const findSubscribersByIds: typeof findByIds = async (db, environmentId, ids) =>
  ids.length === 0 ? [] : findByIds(db, environmentId, ids);

const findByKeys = statement("findSubscribersByKeys", (tx, _environmentId: string, keys: string[]) =>
  keys.flatMap((key) => {
    const row = tx.get<SubscriberRow>("subscribers", key);
    return row ? toRecipient(row) : [];
  }),
);

export const findSubscribersByKeys: typeof findByKeys = async (db, environmentId, keys) =>
  keys.length === 0 ? [] : findByKeys(db, environmentId, keys);

type Upsert = { entries: SubscriberUpsert[]; now: Date; options?: { keepExisting?: boolean } };

const upsert = statement(
  "upsertSubscribers",
  async (tx, environmentId: string, { entries, now, options }: Upsert): Promise<UpsertedSubscriber[]> => {
    const rows: UpsertedSubscriber[] = [];
    for (const { id, subscriberId, fields } of entries.toSorted((a, b) => (a.subscriberId < b.subscriberId ? -1 : 1))) {
      const row = { ...newSubscriber(environmentId, id, subscriberId, now), ...given(fields) } as SubscriberRow;
      const is_new = await tx.insert("subscribers", subscriberId, row);
      if (!is_new && !options?.keepExisting) {
        await tx.change<SubscriberRow>("subscribers", subscriberId, () => ({ ...given(fields), updated_at: now }));
      }
      rows.push({ ...tx.get<SubscriberRow>("subscribers", subscriberId)!, is_new });
    }
    return rows;
  },
);

const given = (fields: SubscriberUpsert["fields"]) => withFields({} as RecipientRow, fields);

export const upsertSubscribers: typeof upsert = async (db, environmentId, given) =>
  given.entries.length === 0 ? [] : upsert(db, environmentId, given);

/** The subscribers of the simulation have no channels. */
export const setChannelsOfMany = async (): Promise<void> => {};
