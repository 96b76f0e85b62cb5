// One notification: a link or a button that covers the row, the content, its actions, and tools that appear with the
// pointer or the focus.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { ActionType, InboxNotification, Redirect } from "../client/types.ts";
import { Icon, type IconName } from "./icons.tsx";
import { isHandled, Part, useOwn } from "./own.tsx";
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
  const { labels, locale, slots } = useUi();
  const { id, subject, body, isRead, severity, createdAt } = item;
  const row = useOwn("renderItem", `item-${id}`, item);
  const tabIndex = isCurrent ? 0 : -1;
  const lone = useLoneBody(item);
  // Without a subject, the body is the message. One with links cannot be part of the link that covers the row.
  const isApart = !subject && (lone.hasLinks || Boolean(slots.renderBody));
  const shown = isRead ? "" : ` unread severity-${severity}`;
  const parts = () => (
    <>
      <span class="mark">{!isRead && <span class="dot" />}</span>
      {(hasAvatars || slots.renderAvatar) && (
        <Part property="renderAvatar" item={item}>
          {hasAvatars && <Avatar item={item} />}
        </Part>
      )}
      <div class="content">
        <Main item={item} tabIndex={tabIndex} isApart={isApart}>
          <Part property="renderSubject" item={item}>
            {subject || isApart ? (
              <span class={isApart ? "hidden" : "subject"} dir="auto">
                {subject || lone.text}
              </span>
            ) : (
              <Body html={body} className="subject message" />
            )}
          </Part>
        </Main>
        <time class="time" part="time" dateTime={createdAt} title={exactTime(createdAt, locale)}>
          {relativeTime(createdAt, now, locale)}
        </time>
        {(subject || isApart) && (
          <Part property="renderBody" item={item}>
            {body && <Body html={body} className={subject ? "body" : "body message"} tabIndex={tabIndex} />}
          </Part>
        )}
        {item.isSnoozed && item.snoozedUntil && (
          <p class="until">{labels.snoozedUntil(shortTime(item.snoozedUntil, locale))}</p>
        )}
        <Part property="renderActions" item={item}>
          {(item.primaryAction || item.secondaryAction) && (
            <div class="actions">
              <Action item={item} type="primary" tabIndex={tabIndex} />
              <Action item={item} type="secondary" tabIndex={tabIndex} />
            </div>
          )}
        </Part>
      </div>
      <div class="tools" part="tools">
        <Tools item={item} tabIndex={tabIndex} maxSnoozeHours={maxSnoozeHours} />
      </div>
    </>
  );
  return (
    <li
      class={`item${shown}${row.isOwn ? " own" : ""}`}
      part={`item${isRead ? "" : " item-unread"}`}
      data-id={id}
      onFocusIn={onFocus}
    >
      {slots.renderItem && (
        <OwnRow item={item} isOwn={row.isOwn} tabIndex={tabIndex}>
          {row.slot()}
        </OwnRow>
      )}
      {!row.isOwn && parts()}
    </li>
  );
}

type RowProps = { item: InboxNotification; tabIndex: number; children?: ComponentChildren };

/** A custom row. A click that nothing in it handles opens the message, as Enter does. */
function OwnRow({ item, isOwn, tabIndex, children }: RowProps & { isOwn: boolean }) {
  const { inbox, attempt } = useUi();
  const open = useOpen(item);
  if (!isOwn) return <article hidden>{children}</article>;
  const activate = () => {
    const href = safeUrl(item.redirect?.url);
    if (!href) return void (item.isRead || item.isSnoozed || attempt(inbox.read(item.id)));
    const link = Object.assign(document.createElement("a"), { href, target: targetOf(item.redirect), rel: "noopener" });
    link.addEventListener("click", (event) => open(event, item.redirect));
    link.click();
  };
  return (
    <article
      class="main"
      part="item-link"
      tabIndex={tabIndex}
      onClick={(event) => isHandled(event) || activate()}
      onKeyDown={(event) => event.key === "Enter" && event.target === event.currentTarget && activate()}
    >
      <Hidden item={item} />
      {children}
    </article>
  );
}

/** The link or the button that covers the row. */
function Main({ item, isApart, tabIndex, children }: RowProps & { isApart: boolean }) {
  const { inbox, attempt } = useUi();
  const open = useOpen(item);
  const url = safeUrl(item.redirect?.url);
  const shared = { class: `main${isApart ? " apart" : ""}`, part: "item-link", tabIndex };
  return url ? (
    <a
      {...shared}
      href={url}
      target={targetOf(item.redirect)}
      rel="noopener"
      onClick={(event) => open(event, item.redirect)}
    >
      <Hidden item={item} />
      {children}
    </a>
  ) : (
    <button {...shared} type="button" onClick={() => item.isRead || attempt(inbox.read(item.id))}>
      <Hidden item={item} />
      {children}
    </button>
  );
}

/** Opens a redirect's address, unless the page handles that, and marks the notification as read. */
function useOpen(item: InboxNotification) {
  const { inbox, emit, attempt } = useUi();
  return (event: Event, redirect: Redirect | undefined) => {
    if (!item.isRead && !item.isSnoozed) attempt(inbox.read(item.id));
    const detail = { url: redirect?.url, target: targetOf(redirect), notification: item };
    if (!emit("navigate", detail)) event.preventDefault();
  };
}

const targetOf = (redirect: Redirect | undefined): string => redirect?.target ?? "_self";

/** For a message without a subject: the text of its body, and whether it contains links. */
function useLoneBody({ subject, body }: InboxNotification): { text: string; hasLinks: boolean } {
  return useMemo(() => {
    if (subject) return { text: "", hasLinks: false };
    const content = sanitizeHtml(body);
    const hasLinks = content.querySelector("a[href]") !== null;
    for (const block of content.querySelectorAll("br, p, div, li, h1, h2, h3, h4, blockquote, pre")) block.after(" ");
    return { text: content.textContent!.replace(/\s+/g, " ").trim(), hasLinks };
  }, [subject, body]);
}

/** The meaning of colours, for those who cannot see them. */
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

function Body({ html, className, tabIndex }: { html: string; className: string; tabIndex?: number }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current!;
    element.replaceChildren(sanitizeHtml(html, readImageHosts(hostOf(element))));
  }, [html]);
  useLayoutEffect(() => {
    for (const link of place.current!.querySelectorAll("a")) link.tabIndex = tabIndex ?? -1;
  }, [html, tabIndex]);
  return <div ref={place} class={className} part="body" dir="auto" />;
}

function Action({ item, type, tabIndex }: { item: InboxNotification; type: ActionType; tabIndex: number }) {
  const { inbox, attempt, emit } = useUi();
  const open = useOpen(item);
  const action = item[`${type}Action`];
  if (!action) return null;
  const url = safeUrl(action.redirect?.url);
  const press = (event: Event) => {
    // As it is now: a second press may come before the first one is drawn.
    const current = inbox.getState().notifications.find(({ id }) => id === item.id) ?? item;
    const isSettled = isSettledByOther(current, type);
    if (isSettled && !url) return;
    if (!emit("action", { type, notification: item })) return event.preventDefault();
    if (!isSettled && !current[`${type}Action`]?.isCompleted) attempt(inbox.complete(item.id, type));
    if (url) return open(event, action.redirect);
    if (!current.isRead && !current.isSnoozed) attempt(inbox.read(item.id));
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
    <button {...shared} type="button" aria-pressed={action.isCompleted} disabled={isSettledByOther(item, type)}>
      {content}
    </button>
  );
}

/** The first of two buttons that is pressed is the response. A link is none: it can be followed before and after. */
function isSettledByOther(item: InboxNotification, type: ActionType): boolean {
  const other = item[type === "primary" ? "secondaryAction" : "primaryAction"];
  return Boolean(other?.isCompleted && !safeUrl(other.redirect?.url));
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
