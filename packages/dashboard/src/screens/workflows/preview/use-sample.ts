// The person and the payload that the preview and the simulator use: those of the newest event, until others are chosen.
import type { Workflow } from "@tidings/contract";
import { useMemo, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import type { Values } from "../editor/model.ts";
import { parseObject } from "../step/value-field.tsx";

export type Person = { subscriberId: string; name: string };
type RecentEvent = { id: string; at: string; person: Person | undefined; payload: Values };

export type Sample = {
  person: Person | undefined;
  setPerson: (person: Person | undefined) => void;
  payloadText: string;
  /** null: the text is not a JSON object. */
  payload: Values | null;
  setPayloadText: (text: string) => void;
  recent: readonly RecentEvent[];
  example: Values | null;
};

export const personName = (person: { firstName?: string | null; lastName?: string | null; subscriberId: string }) =>
  [person.firstName, person.lastName].filter(Boolean).join(" ") || person.subscriberId;

export function useSample(workflow: Workflow): Sample {
  const { data } = useOperation(
    "notifications.list",
    { query: { templates: [workflow._id], limit: 10 } },
    { staleTime: 60_000 },
  );
  const recent = useMemo(
    (): RecentEvent[] =>
      (data?.data ?? []).map(({ _id = "", createdAt = "", subscriber, payload }) => ({
        id: _id,
        at: createdAt,
        person: subscriber && { subscriberId: subscriber.subscriberId, name: personName(subscriber) },
        payload: (payload as Values | undefined) ?? {},
      })),
    [data],
  );
  const [ownPerson, setPerson] = useState<Person | null>(null);
  const [isSamplePerson, setSamplePerson] = useState(false);
  const [ownText, setPayloadText] = useState<string | null>(null);
  const example = (workflow.payloadExample as Values | null | undefined) ?? null;
  const payloadText = ownText ?? JSON.stringify(recent[0]?.payload ?? example ?? {}, null, 2);
  const payload = useMemo(() => parseObject(payloadText), [payloadText]);
  return {
    person: isSamplePerson ? undefined : (ownPerson ?? recent.find(({ person }) => person)?.person),
    setPerson: (person) => {
      setPerson(person ?? null);
      setSamplePerson(person === undefined);
    },
    payloadText,
    payload,
    setPayloadText,
    recent,
    example,
  };
}
