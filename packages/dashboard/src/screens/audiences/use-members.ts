// Adds people to a fixed audience or removes them, 500 per request, with progress.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation } from "../../api/client.ts";
import { useEnvironment } from "../../api/session.tsx";
import { showError } from "../../kit/overlays/toast.tsx";

const perRequest = 500;

type Added = {
  added: number;
  unknown: string[];
  /** Those that are left when a request failed. */
  rest: string[];
};

export function useMembers(audienceId: string) {
  const client = useQueryClient();
  const { _id } = useEnvironment();
  const [progress, setProgress] = useState<number | null>(null);
  const params = { audienceId };
  const settle = async () => {
    setProgress(null);
    const stale = ["audiences.listPeople", "audiences.count", "audiences.explain"];
    await Promise.all(stale.map((id) => client.invalidateQueries({ queryKey: [_id, id] })));
  };
  const add = async (ids: readonly string[]): Promise<Added> => {
    const result: Added = { added: 0, unknown: [], rest: [] };
    let at = 0;
    try {
      for (; at < ids.length; at += perRequest) {
        setProgress(at);
        const body = { subscriberIds: ids.slice(at, at + perRequest) };
        const { added, unknown } = await callOperation("audiences.addMembers", { params, body }, _id);
        result.added += added;
        result.unknown.push(...unknown);
      }
    } catch (error) {
      showError(error);
      result.rest = ids.slice(at);
    }
    await settle();
    return result;
  };
  /** The number of people removed; null where a request failed, which was shown. */
  const remove = async (ids: readonly string[]): Promise<number | null> => {
    let removed = 0;
    try {
      for (let at = 0; at < ids.length; at += perRequest) {
        setProgress(at);
        const body = { subscriberIds: ids.slice(at, at + perRequest) };
        removed += (await callOperation("audiences.removeMembers", { params, body }, _id)).removed;
      }
      return removed;
    } catch (error) {
      showError(error);
      return null;
    } finally {
      await settle();
    }
  };
  return { add, remove, progress };
}
