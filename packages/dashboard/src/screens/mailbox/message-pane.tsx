// One captured message: who gets it, what is in it, and what can be copied out of it.
import { Link } from "@tanstack/react-router";
import type { CapturedMessage } from "@tidings/contract";
import { useEffect } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Icon } from "../../icons.tsx";
import { CopyButton } from "../../kit/data/code.tsx";
import { formatMoment } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { IconButton, LinkButton } from "../../kit/inputs/button.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { Attachments } from "./attachments.tsx";
import css from "./mailbox.module.css";
import { MessageViews } from "./message-views.tsx";
import { markRead } from "./read-marks.ts";
import type { View } from "./search.ts";
import { words } from "./words.ts";

type MessagePaneProps = {
  id: string;
  view: View | undefined;
  onView: (view: View) => void;
  /** After it was deleted. */
  onGone: () => void;
};

export function MessagePane({ id, view, onView, onGone }: MessagePaneProps) {
  const { data, error, refetch } = useOperation("captured.retrieve", { params: { id } }, { staleTime: 3_600_000 });
  const isKnown = data !== undefined;
  useEffect(() => {
    if (isKnown) markRead(id);
  }, [id, isKnown]);
  return (
    <article className={css.message} aria-label={words.message}>
      <Link
        from="/mailbox"
        to="/mailbox"
        search={(before) => ({ ...before, id: undefined, view: undefined })}
        className={css.back}
      >
        <Icon name="arrowLeft" size={14} />
        {words.back}
      </Link>
      {error?.status === 404 && <EmptyState icon="mail" title={words.gone} text={words.goneText} />}
      {error && error.status !== 404 && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && (
        <>
          <MessageHead message={data} onGone={onGone} />
          <MessageViews message={data} view={view} onView={onView} />
        </>
      )}
    </article>
  );
}

function MessageHead({ message, onGone }: { message: CapturedMessage; onGone: () => void }) {
  const { channel, subject, subscriberId, transactionId, codes, attachments = [], createdAt } = message;
  return (
    <header className={css.head}>
      <div className={css.headLine}>
        <h2 className={css.subject}>{subject || (channel === "email" ? words.noSubject : channelNames[channel])}</h2>
        <LinkButton
          size="small"
          icon="activity"
          to="/activity/$transactionId"
          params={{ transactionId }}
          search={subscriberId ? { subscriber: subscriberId } : {}}
        >
          {words.openRun}
        </LinkButton>
        <DeleteOne message={message} onGone={onGone} />
      </div>
      <Facts
        of={[
          [words.from, senderOf(message)],
          [words.to, message.to.join(", ")],
          [words.cc, message.cc?.join(", ")],
          [words.bcc, message.bcc?.join(", ")],
          [
            words.subscriber,
            subscriberId && (
              <Link key="subscriber" to="/subscribers/$subscriberId" params={{ subscriberId }}>
                {subscriberId}
              </Link>
            ),
          ],
          [
            words.captured,
            <span key="captured" className={css.captured}>
              <time dateTime={createdAt}>{formatMoment(createdAt)}</time>
              <Badge>{message.integrationIdentifier}</Badge>
            </span>,
          ],
        ]}
      />
      {codes.length > 0 && (
        <section className={css.codes} aria-label={words.codes}>
          {codes.map((code) => (
            <span key={code} className={css.code}>
              {code}
              <CopyButton text={code} what={words.code(code)} />
            </span>
          ))}
        </section>
      )}
      {attachments.length > 0 && <Attachments messageId={message.id} files={attachments} />}
    </header>
  );
}

function senderOf({ from, senderName }: CapturedMessage): string | undefined {
  if (from === undefined) return senderName;
  return senderName ? `${senderName} <${from}>` : from;
}

function DeleteOne({ message: { id }, onGone }: { message: CapturedMessage; onGone: () => void }) {
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const remove = useChange("captured.deleteOne", ["captured.list"]);
  if (!may("captured.deleteOne")) return null;
  const question = {
    title: words.deleteTitle,
    text: words.deleteText,
    label: words.delete,
    isDanger: true,
    isAlways: true,
  };
  const ask = () =>
    confirm(question, () =>
      remove.mutate(
        { params: { id } },
        {
          onSuccess: () => {
            showToast({ title: words.deleted });
            onGone();
          },
          onError: showError,
        },
      ),
    );
  return (
    <>
      <IconButton label={words.delete} icon="trash" size="small" onClick={ask} disabled={remove.isPending} />
      {dialog}
    </>
  );
}
