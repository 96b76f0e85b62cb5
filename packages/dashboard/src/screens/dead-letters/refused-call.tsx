// A call by SQL that was refused: what it asked for, and the source that it came from.
import { Link } from "@tanstack/react-router";
import type { FailedTask } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { Id } from "../../kit/data/code.tsx";
import { Muted } from "../../kit/layout/layout.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import { words } from "./words.ts";

const text = words.tasks.call;

type Call = {
  sourceId: string;
  transactionId: string;
  kind: string;
  workflow?: string;
  subscriberId?: string;
};

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Undefined for other tasks. */
export function readCall({ kind, data }: FailedTask): Call | undefined {
  if (kind !== "relay") return undefined;
  const body = (typeof data.body === "object" && data.body !== null ? data.body : {}) as Record<string, unknown>;
  return {
    sourceId: String(data.sourceId),
    transactionId: String(data.transactionId),
    kind: String(data.kind),
    workflow: textOf(body.name),
    subscriberId: textOf(body.subscriberId),
  };
}

export function RefusedCall({ call: { sourceId, transactionId, kind, workflow, subscriberId } }: { call: Call }) {
  const { data } = useOperation("sources.list", {});
  const source = data?.find(({ id }) => id === sourceId);
  return (
    <>
      <Facts
        of={[
          [text.what, text.kinds[kind] ?? kind],
          [
            text.workflow,
            workflow && (
              <Link key="workflow" to="/workflows/$workflowId" params={{ workflowId: workflow }}>
                {workflow}
              </Link>
            ),
          ],
          [text.subscriber, subscriberId],
          [text.transaction, <Id key="transaction" text={transactionId} what={text.transaction} />],
          [
            text.source,
            source ? (
              <Link key="source" to="/sources/$sourceId" params={{ sourceId }}>
                {source.name}
              </Link>
            ) : (
              data && text.deleted
            ),
          ],
        ]}
      />
      <Muted>{text.fix}</Muted>
    </>
  );
}
