// The subscriber and the payload that the preview and the simulator use: those of the newest event, until others are
// chosen. A payload that was typed is kept in this browser. The preview also has a context.
import type { DryRunAssumptions, Workflow } from "@tidings/contract";
import { useMemo, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { parseObject } from "../../../fields/json-object.ts";
import { nameOf } from "../../../subscribers/avatar.tsx";
import type { Subscriber } from "../../../subscribers/subscriber-picker.tsx";
import { unsavedId, type Values } from "../editor/model.ts";
import { keepPayload, readPayload } from "../test/kept-payload.ts";

type RecentEvent = { id: string; at: string; subscriber: Subscriber | undefined; payload: Values };

export type Sample = {
  subscriber: Subscriber | undefined;
  setSubscriber: (subscriber: Subscriber | undefined) => void;
  payloadText: string;
  /** null: the text is not a JSON object. */
  payload: Values | null;
  setPayloadText: (text: string) => void;
  /** `<type>:<id>` of the context whose brand is shown; empty: none. */
  context: string;
  setContext: (key: string) => void;
  recent: readonly RecentEvent[];
  example: Values | null;
  /** The language to preview in; undefined: that of the subscriber. */
  locale: string | undefined;
  setLocale: (locale: string | undefined) => void;
  /** What is assumed to happen while a run waits. */
  assume: Assumptions;
  setAssume: (assume: Assumptions) => void;
};

type Assumptions = Required<DryRunAssumptions>;

/** `recordId`: whose payload is kept in this browser, where it is not that of the workflow. */
export function useSample(workflow: Workflow, recordId = workflow._id): Sample {
  const { data } = useOperation(
    "notifications.list",
    { query: { templates: [workflow._id], limit: 10 } },
    { enabled: workflow._id !== unsavedId, staleTime: 60_000 },
  );
  const recent = useMemo(
    (): RecentEvent[] =>
      (data?.data ?? []).map(({ _id = "", createdAt = "", subscriber, payload }) => ({
        id: _id,
        at: createdAt,
        subscriber: subscriber && { subscriberId: subscriber.subscriberId, name: nameOf(subscriber) },
        payload: (payload as Values | undefined) ?? {},
      })),
    [data],
  );
  const [ownSubscriber, setSubscriber] = useState<Subscriber | null>(null);
  const [isSampleSubscriber, setSampleSubscriber] = useState(false);
  const [locale, setLocale] = useState<string | undefined>();
  const [assume, setAssume] = useState<Assumptions>({ digestedEvents: 1, isRead: false, signals: [], messages: [] });
  const [context, setContext] = useState("");
  const { _id: environmentId } = useEnvironment();
  const place = { kind: "sample", environmentId, workflowId: recordId } as const;
  const [ownText, setOwnText] = useState(() => readPayload(place));
  const setPayloadText = (text: string) => {
    setOwnText(text);
    keepPayload(place, text);
  };
  const example = (workflow.payloadExample as Values | null | undefined) ?? null;
  const payloadText = ownText ?? JSON.stringify(recent[0]?.payload ?? example ?? {}, null, 2);
  const payload = useMemo(() => parseObject(payloadText), [payloadText]);
  return {
    subscriber: isSampleSubscriber
      ? undefined
      : (ownSubscriber ?? recent.find(({ subscriber }) => subscriber)?.subscriber),
    setSubscriber: (subscriber) => {
      setSubscriber(subscriber ?? null);
      setSampleSubscriber(subscriber === undefined);
    },
    payloadText,
    payload,
    setPayloadText,
    context,
    setContext,
    recent,
    example,
    locale,
    setLocale,
    assume,
    setAssume,
  };
}
