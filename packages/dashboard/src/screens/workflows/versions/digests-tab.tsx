// Digests that are collecting: what is in them, when they send, and "send now".
import { Link } from "@tanstack/react-router";
import type { DigestMember, OpenDigest, Workflow } from "@tidings/contract";
import { useEffect, useState } from "react";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { InlineCode } from "../../../kit/data/code.tsx";
import { formatDuration, Time } from "../../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../../kit/overlays/toast.tsx";
import { words } from "./digests-words.ts";
import css from "./versions.module.css";

export function DigestsTab({ workflow }: { workflow: Workflow }) {
  const { data, error, refetch } = useOperation(
    "digests.list",
    { query: { workflowId: workflow._id, limit: 50 } },
    { every: 5_000, keep: true },
  );
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  if (data.data.length === 0) {
    const hasStep = workflow.steps.some(({ type }) => type === "digest");
    return <EmptyState icon="layers" title={words.none} text={hasStep ? words.noneText : words.noStep} />;
  }
  return (
    <div className={css.digests}>
      <p className={css.weak}>{words.lead}</p>
      <ul className={css.digestList} aria-label={words.list}>
        {data.data.map((digest) => (
          <li key={digest.id}>
            <Digest digest={digest} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Digest({ digest }: { digest: OpenDigest }) {
  const { id, step, subscriberId, key, count, openedAt, closesAt } = digest;
  const [isWhole, setWhole] = useState(false);
  const close = useChange("digests.closeOne", ["digests.list", "notifications.list", "workflows.retrieveInFlight"]);
  const { confirm, dialog } = useConfirm();
  const send = () =>
    confirm({ title: words.sendTitle, text: words.sendText(count), label: words.sendNow }, () =>
      close.mutate(
        { params: { id } },
        {
          onSuccess: ({ closed }) => showToast({ title: closed ? words.sent : words.wasClosing }),
          onError: showError,
        },
      ),
    );
  return (
    <article className={css.digest}>
      <header className={css.digestHead}>
        {subscriberId === null ? (
          <span className={css.weak}>{words.gone}</span>
        ) : (
          <Link to="/subscribers/$subscriberId" params={{ subscriberId }}>
            <strong>{subscriberId}</strong>
          </Link>
        )}
        <Badge tone="info">{words.events(count)}</Badge>
        <span className={css.weak}>{step.name}</span>
        <span className={css.countdown}>
          <Countdown until={closesAt} />
        </span>
        <Button size="small" icon="play" onClick={send} disabled={close.isPending}>
          {words.sendNow}
        </Button>
        {dialog}
      </header>
      {key && (
        <p className={css.weak}>
          {words.key} <InlineCode>{`${key.path} = ${key.value}`}</InlineCode>
        </p>
      )}
      <p className={css.weak}>
        {words.opened} <Time at={openedAt} isRelative />
      </p>
      {isWhole ? <AllMembers id={id} /> : <Members members={digest.members} />}
      {!isWhole && count > digest.members.length && (
        <Button size="small" look="plain" onClick={() => setWhole(true)}>
          {words.allMembers(count)}
        </Button>
      )}
    </article>
  );
}

function AllMembers({ id }: { id: string }) {
  const { data, error } = useOperation("digests.retrieve", { params: { id }, query: { limit: 100 } });
  if (error) return <ErrorPanel error={error} />;
  return data ? <Members members={data.data} /> : <Skeleton rows={3} />;
}

const Members = ({ members }: { members: readonly DigestMember[] }) => (
  <ol className={css.members} aria-label={words.members}>
    {members.map(({ notificationId, transactionId, createdAt, payload }) => (
      <li key={notificationId}>
        <Link to="/activity/$transactionId" params={{ transactionId }}>
          <Time at={createdAt} />
        </Link>
        <code>{payload}</code>
      </li>
    ))}
  </ol>
);

/** Counts down each second. */
function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = Date.parse(until) - now;
  return (
    <time dateTime={until}>
      {left <= 0 ? words.closing : `${words.closes} ${formatDuration(Math.ceil(left / 1_000) * 1_000)}`}
    </time>
  );
}
