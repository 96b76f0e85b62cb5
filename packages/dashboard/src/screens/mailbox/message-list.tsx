// The captured messages, newest first.
import { Link } from "@tanstack/react-router";
import type { CapturedMessage, Output } from "@tidings/contract";
import { Icon } from "../../icons.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { stepIcons } from "../../outcomes/tones.ts";
import css from "./mailbox.module.css";
import { useReadMarks } from "./read-marks.ts";
import { words } from "./words.ts";

type MessageListProps = {
  page: Output<"captured.list">;
  chosen: string | undefined;
  onPage: (page: { after?: string; before?: string }) => void;
};

export function MessageList({ page, chosen, onPage }: MessageListProps) {
  const { data, next, previous, totalCount, totalCountCapped } = page;
  const read = useReadMarks();
  return (
    <div className={css.list}>
      <ul className={css.rows} aria-label={words.list}>
        {data.map((message) => (
          <li key={message.id}>
            <Row message={message} isChosen={message.id === chosen} isRead={read.has(message.id)} />
          </li>
        ))}
      </ul>
      {(next || previous) && (
        <Pager
          note={words.count(totalCount, totalCountCapped)}
          onPrevious={previous ? () => onPage({ before: previous }) : undefined}
          onNext={next ? () => onPage({ after: next }) : undefined}
        />
      )}
    </div>
  );
}

type RowProps = { message: CapturedMessage; isChosen: boolean; isRead: boolean };

function Row({ message, isChosen, isRead }: RowProps) {
  const { id, channel, subject, text = "", to, subscriberId, codes, attachments = [], createdAt } = message;
  const title = subject || (channel === "email" ? words.noSubject : text || words.noContent);
  return (
    <Link
      from="/mailbox"
      to="/mailbox"
      search={(before) => ({ ...before, id, view: undefined })}
      preload={false}
      className={css.row}
      data-read={isRead}
      aria-current={isChosen ? "true" : undefined}
    >
      <span className={css.rowIcon}>
        <Icon name={stepIcons[channel]} size={15} />
      </span>
      <span className={css.rowTitle}>
        {!isRead && <span className={css.mark} role="img" aria-label={words.unread} />}
        {title}
      </span>
      <span className={css.rowTime}>
        <Time at={createdAt} />
      </span>
      <span className={css.rowLine}>
        <span className={css.rowNote}>{subscriberId || to.join(", ")}</span>
        {codes[0] !== undefined && <Badge tone="accent">{codes[0]}</Badge>}
        {attachments.length > 0 && <Badge>{words.files(attachments.length)}</Badge>}
      </span>
      {channel === "email" && text !== "" && <span className={css.rowText}>{text}</span>}
    </Link>
  );
}
