// How many people a draft reaches now. The service counts the audiences as one rule.
import type { Broadcast, JsonObject } from "@tidings/contract";
import { useOperation } from "../../../api/hooks.ts";
import { useSettled } from "../../../kit/use-settled.ts";
import { words as peopleWords } from "../../../subscribers/people-words.ts";
import { reachRule } from "./reach-rule.ts";

export function useReach(audience: Broadcast["audience"]) {
  const typed = JSON.stringify(reachRule(audience));
  const settled = useSettled(typed, 300);
  const rule = JSON.parse(settled) as JsonObject | null;
  const { data, error, isPlaceholderData } = useOperation(
    "audiences.preview",
    { body: { rule: rule ?? {} } },
    { enabled: rule !== null, keep: true, staleTime: 15_000 },
  );
  const isCounted = rule !== null && typed === settled && !isPlaceholderData;
  const count = rule === null || error ? undefined : data?.count;
  return {
    isChosen: rule !== null,
    count,
    error: rule === null ? null : error,
    isOld: !isCounted,
    /** "31,204 people", once it is counted. */
    text: count && isCounted ? peopleWords.counted(count) : undefined,
  };
}

export type Reach = ReturnType<typeof useReach>;
