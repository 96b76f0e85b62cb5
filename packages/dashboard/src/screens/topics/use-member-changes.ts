// Adds or removes many subscribers, 100 per request, and reports what happened to each of them.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation } from "../../api/client.ts";
import { useEnvironment } from "../../api/session.tsx";
import { showError } from "../../kit/overlays/toast.tsx";

const perRequest = 100;

export type MemberResult = { done: number; errors: { subscriberId: string; message: string }[] };

export function useMemberChanges(topicKey: string, mode: "add" | "remove") {
  const client = useQueryClient();
  const { _id } = useEnvironment();
  const [progress, setProgress] = useState<number | null>(null);
  const change = async (ids: readonly string[]): Promise<MemberResult | null> => {
    const result: MemberResult = { done: 0, errors: [] };
    const operation = mode === "add" ? "topicSubscriptions.create" : "topicSubscriptions.delete";
    try {
      for (let at = 0; at < ids.length; at += perRequest) {
        setProgress(at);
        const body = { subscriptions: ids.slice(at, at + perRequest) };
        const { meta, errors = [] } = await callOperation(operation, { params: { topicKey }, body }, _id);
        result.done += meta.successful;
        result.errors.push(...errors);
      }
      return result;
    } catch (error) {
      showError(error);
      return null;
    } finally {
      setProgress(null);
      await client.invalidateQueries({ queryKey: [_id, "topicSubscriptions.list"] });
    }
  };
  return { change, progress, isBusy: progress !== null };
}
