// One notification: a link or a button that covers the row, the content, its actions, and tools that appear with the pointer or
// the focus.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ActionType, InboxNotification, Redirect } from "../client/types.ts";
import { Icon, type IconName } from "./icons.tsx";
import { hostOf, readImageHosts, sanitizeHtml } from "./sanitize.ts";
import { Snooze } from "./snooze.tsx";
import { exactTime, relativeTime, shortTime } from "./time.ts";
import { useUi } from "./ui.ts";
import { safeUrl } from "./urls.ts";

type ItemProps = {
  item: InboxNotification;
  now: number;
  isCurrent: boolean;
  hasAvatars: boolean;
  maxSnoozeHours: number;
  onFocus: () => void;
};

export function Item({ item, now, isCurrent, hasAvatars, maxSnoozeHours, onFocus }: ItemProps) {
  const { inbox, labels, locale, attempt, mountItem } = useUi();
  const { id, subject, body, isRead, severity, createdAt } = item;
  const isOwn = mountItem?.(item) ?? false;
  const tabIndex = isCurrent ? 0 : -1;
  const open = useOpen(item);
  const url = safeUrl(item.redirect?.url);
  const name = (
    <span class="subject" dir="auto">
      {subject || item.workflow?.name || textOf(body)}
    </span>
  );
  const shown = isRead ? "" : ` unread severity-${severity}`;
  return (
    <li class={`item${shown}`} part={`item${isRead ? "" : " item-unread"}`} data-id={id} onFocusIn={onFocus}>
      <span class="mark">{!isRead && <span class="dot" />}</span>
      {hasAvatars && <Avatar item={item} />}
      <div class="content">
        {url ? (
          <a
            class="main"
            part="item-link"
            href={url}
            target={targetOf(item.redirect)}
            rel="noopener"
            tabIndex={tabIndex}
            onClick={(event) => open(event, item.redirect)}
          >
            <Hidden item={item} />
            {name}
          </a>
        ) : (
          <button
            class="main"
            part="item-link"
            type="button"
            tabIndex={tabIndex}
            onClick={() => isRead || attempt(inbox.read(id))}
          >
            <Hidden item={item} />
            {name}
          </button>
        )}
        <time class="time" part="time" dateTime={createdAt} title={exactTime(createdAt, locale)}>
          {relativeTime(createdAt, now, locale)}
        </time>
        {isOwn ? <slot name={`item-${id}`} /> : subject && body && <Body html={body} tabIndex={tabIndex} />}
        {item.isSnoozed && item.snoozedUntil && (
          <p class="until">{labels.snoozedUntil(shortTime(item.snoozedUntil, locale))}</p>
        )}
        {(item.primaryAction || item.secondaryAction) && (
          <div class="actions">
            <Action item={item} type="primary" tabIndex={tabIndex} />
            <Action item={item} type="secondary" tabIndex={tabIndex} />
          </div>
        )}
      </div>
      <div class="tools" part="tools">
        <Tools item={item} tabIndex={tabIndex} maxSnoozeHours={maxSnoozeHours} />
      </div>
    </li>
  );
}

/** Opens the address of a redirect unless the page has taken that over, and marks the notification as read. */
function useOpen(item: InboxNotification) {
  const { inbox, emit, attempt } = useUi();
  return (event: Event, redirect: Redirect | undefined) => {
    if (!item.isRead && !item.isSnoozed) attempt(inbox.read(item.id));
    const detail = { url: redirect?.url, target: targetOf(redirect), notification: item };
    if (!emit("navigate", detail)) event.preventDefault();
  };
}

const targetOf = (redirect: Redirect | undefined): string => redirect?.target ?? "_self";

const textOf = (html: string): string => sanitizeHtml(html).textContent ?? "";

/** What colours say to those who see them. */
function Hidden({ item: { isRead, severity } }: { item: InboxNotification }) {
  const { labels } = useUi();
  const words = [!isRead && labels.unread, labels.severity[severity]].filter(Boolean);
  return words.length > 0 ? <span class="hidden">{words.join(", ")}: </span> : null;
}

function Avatar({ item: { avatar, subject, workflow } }: { item: InboxNotification }) {
  const src = safeUrl(avatar);
  return (
    <span class="avatar" part="avatar" aria-hidden="true">
      {src ? (
        <img src={src} alt="" loading="lazy" referrerpolicy="no-referrer" />
      ) : (
        (workflow?.name || subject || "").slice(0, 1)
      )}
    </span>
  );
}

function Body({ html, tabIndex }: { html: string; tabIndex: number }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current!;
    element.replaceChildren(sanitizeHtml(html, readImageHosts(hostOf(element))));
  }, [html]);
  useLayoutEffect(() => {
    for (const link of place.current!.querySelectorAll("a")) link.tabIndex = tabIndex;
  }, [html, tabIndex]);
  return <div ref={place} class="body" part="body" dir="auto" />;
}

function Action({ item, type, tabIndex }: { item: InboxNotification; type: ActionType; tabIndex: number }) {
  const { inbox, attempt, emit } = useUi();
  const open = useOpen(item);
  const action = item[`${type}Action`];
  if (!action) return null;
  const url = safeUrl(action.redirect?.url);
  const press = (event: Event) => {
    if (!emit("action", { type, notification: item })) return event.preventDefault();
    if (!action.isCompleted) attempt(inbox.complete(item.id, type));
    if (url) open(event, action.redirect);
  };
  const shared = { class: `action ${type}`, part: `action action-${type}`, tabIndex, onClick: press };
  const content = (
    <>
      {action.isCompleted && <Icon name="check" />}
      {action.label}
    </>
  );
  return url ? (
    <a {...shared} href={url} target={targetOf(action.redirect)} rel="noopener">
      {content}
    </a>
  ) : (
    <button {...shared} type="button" aria-pressed={action.isCompleted}>
      {content}
    </button>
  );
}

function Tools({
  item,
  tabIndex,
  maxSnoozeHours,
}: {
  item: InboxNotification;
  tabIndex: number;
  maxSnoozeHours: number;
}) {
  const { inbox, labels, attempt } = useUi();
  const { id, isRead, isArchived, isSnoozed } = item;
  const tool = (label: string, icon: IconName, run: () => Promise<unknown>) => (
    <button
      type="button"
      class="tool"
      title={label}
      aria-label={label}
      tabIndex={tabIndex}
      onClick={() => attempt(run())}
    >
      <Icon name={icon} />
    </button>
  );
  const remove = tool(labels.remove, "trash", () => inbox.remove(id));
  if (isSnoozed)
    return (
      <>
        {tool(labels.unsnooze, "inbox", () => inbox.unsnooze(id))}
        {remove}
      </>
    );
  return (
    <>
      {isRead
        ? tool(labels.markUnread, "dot", () => inbox.unread(id))
        : tool(labels.markRead, "check", () => inbox.read(id))}
      {!isArchived && <Snooze id={id} tabIndex={tabIndex} maxHours={maxSnoozeHours} />}
      {isArchived
        ? tool(labels.unarchive, "inbox", () => inbox.unarchive(id))
        : tool(labels.archive, "archive", () => inbox.archive(id))}
      {remove}
    </>
  );
}
