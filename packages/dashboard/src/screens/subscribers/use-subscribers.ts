// Finds subscribers by what support has at hand: an email address, an id, a phone number, or a part of a name.
import type { Subscriber } from "@tidings/contract";
import type { ApiError } from "../../api/api-error.ts";
import { useOperation } from "../../api/hooks.ts";

const pageSize = 25;

type Subscribers = {
  rows: Subscriber[] | undefined;
  error: ApiError | null;
  refetch: () => void;
  next?: string | null;
  previous?: string | null;
  count?: number;
  isCapped?: boolean;
};

type Asked = { text: string; audienceId: string | undefined; after: string | undefined; before: string | undefined };

export function useSubscribers({ text, audienceId, after, before }: Asked): Subscribers {
  const isSearch = text !== "";
  const all = useOperation(
    "subscribers.list",
    { query: { limit: pageSize, audienceId, after, before } },
    { enabled: !isSearch, keep: true },
  );
  // Without a look into each, a text could be any of them; the responses are small.
  const search = { enabled: isSearch, keep: true };
  const isAddress = text.includes("@");
  const isPhone = /^\+?[\d\s().-]{4,}$/.test(text);
  const byId = useOperation("subscribers.list", { query: { limit: pageSize, audienceId, subscriberId: text } }, search);
  const byEmail = useOperation(
    "subscribers.list",
    { query: { limit: pageSize, audienceId, email: text } },
    { ...search, enabled: isSearch && isAddress },
  );
  const byPhone = useOperation(
    "subscribers.list",
    { query: { limit: pageSize, audienceId, phone: text.replace(/[\s().-]/g, "") } },
    { ...search, enabled: isSearch && isPhone },
  );
  const byName = useOperation(
    "subscribers.list",
    { query: { limit: pageSize, audienceId, name: text } },
    { ...search, enabled: isSearch && !isAddress },
  );
  if (!isSearch)
    return {
      rows: all.data?.data,
      error: all.error,
      refetch: all.refetch,
      next: all.data?.next,
      previous: all.data?.previous,
      count: all.data?.totalCount,
      isCapped: all.data?.totalCountCapped,
    };
  const asked = [byId, ...(isAddress ? [byEmail] : [byName]), ...(isPhone ? [byPhone] : [])];
  const found = asked.flatMap(({ data }) => data?.data ?? []);
  return {
    rows: asked.every(({ data }) => data)
      ? [...new Map(found.map((subscriber) => [subscriber.subscriberId, subscriber])).values()]
      : undefined,
    error: asked.find(({ error }) => error)?.error ?? null,
    refetch: () => asked.forEach(({ refetch }) => void refetch()),
  };
}
