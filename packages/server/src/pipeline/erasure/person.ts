// What identifies a person: gathered once, when the erasure is requested, from the profile and its channels. What
// another subscriber has too (an address in a family, a common first name) identifies nobody and is not replaced.
import type { Ctx } from "../../context.ts";
import {
  fullNamesOf,
  isDistinctId,
  leavesOf,
  longEnough,
  namesOf,
  type Person,
  personalValues,
  personalWords,
  spellingsOf,
} from "../../lib/personal/personal-texts.ts";
import { openValue } from "../../lib/sealed.ts";
import { findSharedIdentifiers } from "../../store/subscribers/erasure-own.ts";
import { findEndpointsOf } from "../../store/subscribers/personal-data.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { channelEntries } from "../rules/subscriber-channels.ts";

/** Tokens and ids of channels; shorter ones may be words. */
const minTokenLength = 12;

type Subject = {
  subscriberId: string;
  /** Null: the subscriber was deleted before. */
  row: SubscriberRow | null;
  /** The internal ids of the subscriber, and of deleted ones with the same `subscriberId`. */
  ids: string[];
  /** Texts that the caller added. */
  terms: string[];
};

/** `shared`: kinds of identifiers that another subscriber has too. */
export type DescribedPerson = { person: Person; shared: string[] };

export async function describePerson(ctx: Ctx, environmentId: string, subject: Subject): Promise<DescribedPerson> {
  const { subscriberId, row, ids, terms } = subject;
  const profile = {
    email: row?.email,
    phone: row?.phone,
    firstName: row?.first_name,
    lastName: row?.last_name,
    avatar: row?.avatar,
    data: row?.data,
  };
  const emails = profile.email ? spellingsOf(profile.email) : [];
  const phones = profile.phone ? spellingsOf(profile.phone) : [];
  const avatars = longEnough([profile.avatar ?? ""], minTokenLength);
  const fullNames = fullNamesOf(profile);
  const names = longEnough(namesOf(profile), 3);
  const found = await findSharedIdentifiers(ctx.db, environmentId, {
    emails,
    phones,
    avatars,
    names: [...names, ...fullNames],
    ids,
  });
  const isOwn = (text: string) => !found.has(text.toLowerCase());
  const isShared = (texts: string[]) => texts.length > 0 && !texts.every(isOwn);
  const endpoints = row ? await findEndpointsOf(ctx.db, environmentId, row.id) : [];
  const tokens = [
    ...(row ? channelEntries(ctx.secrets, row).map((entry) => entry.credentials) : []),
    ...endpoints.map(({ endpoint }) => openValue(ctx.secrets, endpoint)),
  ].flatMap(leavesOf);
  const texts = longEnough([
    ...(isDistinctId(subscriberId) ? [subscriberId] : []),
    ...(isShared(emails) ? [] : emails),
    ...(isShared(phones) ? [] : phones),
    ...(isShared(fullNames) ? [] : fullNames),
    ...avatars.filter(isOwn),
    ...longEnough(tokens, minTokenLength),
  ]);
  const kinds: [string, string[]][] = [
    ["email", emails],
    ["phone", phones],
    ["name", [...names, ...fullNames]],
  ];
  return {
    person: {
      subscriberId,
      ids,
      texts: [...new Set([...texts, ...terms])],
      names: names.filter(isOwn),
      values: personalValues(profile),
      words: personalWords(profile),
    },
    shared: kinds.filter(([, all]) => isShared(all)).map(([kind]) => kind),
  };
}
