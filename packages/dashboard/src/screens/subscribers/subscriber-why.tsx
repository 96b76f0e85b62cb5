// A subscriber's delivery log: the newest events, each with the decision about every step and a link to where it can be
// changed; and an explanation for any other event by its transaction id.

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ActivityEvent, Notification, Subscriber } from "@tidings/contract";
import { type FormEvent, type ReactNode, useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Icon } from "../../icons.tsx";
import { SubscriberZone, Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Disclosure, DisclosureList } from "../../kit/layout/disclosure.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { labelOf } from "../../outcomes/event-label.ts";
import { stepIcons } from "../../outcomes/tones.ts";
import { callNameOf } from "../../subscribers/avatar.tsx";
import { Explained } from "./explained.tsx";
import { isUnhappy, type Sign, signsOf } from "./signs.ts";
import css from "./subscribers.module.css";
import why from "./why.module.css";
import { words } from "./words.ts";

const subscriberRoute = getRouteApi("/shell/subscribers/$subscriberId");

export function SubscriberWhy({ subscriber }: { subscriber: Subscriber }) {
  const { subscriberId } = subscriber;
  const name = callNameOf(subscriber);
  const { transaction } = subscriberRoute.useSearch();
  const navigate = useNavigate();
  const [text, setText] = useState(transaction ?? "");
  const [opened, setOpened] = useState<string | null | undefined>(undefined);
  const { data, error, refetch } = useOperation(
    "notifications.list",
    { query: { subscriberIds: [subscriberId], limit: 15 } },
    { every: 5_000 },
  );
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const id = text.trim() || undefined;
    void navigate({
      to: "/subscribers/$subscriberId",
      params: { subscriberId },
      search: (old) => ({ env: old.env, transaction: id }),
    });
  };
  // Events of workflows that were off have no notification.
  const events = useOperation(
    "activity.listEvents",
    { query: { subscriberIds: [subscriberId], limit: 15 } },
    { every: 15_000 },
  );
  const rows = rowsOf(data?.data ?? [], events.data?.data ?? []);
  // The first event that did not go well is what is asked about most often.
  const shown = opened === undefined ? (rows.find((row) => row.isUnhappy) ?? rows[0])?.id : opened;
  return (
    <SubscriberZone value={subscriber.timezone ?? undefined}>
      <div className={css.stack}>
        <div className={css.panelHead}>
          <div>
            <h2>{words.why.title(name)}</h2>
            <p className={css.muted}>{words.why.text}</p>
          </div>
          <form className={css.ask} onSubmit={ask}>
            <TextField
              label={words.why.transaction}
              value={text}
              spellCheck={false}
              onChange={({ target }) => setText(target.value)}
            />
            <Button type="submit">{words.why.ask}</Button>
          </form>
        </div>
        {transaction && (
          <section className={css.box} aria-label={words.why.asked(transaction)}>
            <Explained transactionId={transaction} subscriberId={subscriberId} name={name} />
          </section>
        )}
        {error && <ErrorPanel error={error} onRetry={refetch} />}
        {!data && !error && <Skeleton />}
        {data && rows.length === 0 && <EmptyState icon="activity" title={words.why.none} text={words.why.noneText} />}
        {rows.length > 0 && (
          <DisclosureList label={words.why.list}>
            {rows.map((row) => (
              <Disclosure
                key={row.id}
                title={
                  <>
                    <strong>{row.title}</strong>
                    {row.label && <span className={why.label}>{row.label}</span>}
                  </>
                }
                note={<span className={why.signs}>{row.signs}</span>}
                end={<Time at={row.createdAt} isRelative />}
                isOpen={row.id === shown}
                onOpen={(isOpen) => setOpened(isOpen ? row.id : null)}
              >
                {() => <Explained transactionId={row.transactionId} subscriberId={subscriberId} name={name} />}
              </Disclosure>
            ))}
          </DisclosureList>
        )}
        {rows.length > 0 && (
          <div>
            <LinkButton to="/activity" search={{ subscriber: subscriberId }} size="small" icon="activity">
              {words.why.more}
            </LinkButton>
          </div>
        )}
        {transaction && (
          <Link
            to="/activity/$transactionId"
            params={{ transactionId: transaction }}
            search={{ subscriber: subscriberId }}
          >
            {words.why.run}
          </Link>
        )}
      </div>
    </SubscriberZone>
  );
}

type LogRow = {
  id: string;
  transactionId: string;
  title: string;
  /** What users call it: "Order 4711". */
  label?: string;
  createdAt: string;
  isUnhappy: boolean;
  signs: ReactNode;
};

/** Newest first. */
function rowsOf(notifications: Notification[], events: ActivityEvent[]): LogRow[] {
  const sent = notifications.map(
    (row): LogRow => ({
      id: row._id ?? row.transactionId,
      transactionId: row.transactionId,
      title: row.template?.name ?? row.transactionId,
      label: row.searchKey && labelOf(row.searchKey),
      createdAt: row.createdAt ?? "",
      isUnhappy: isUnhappy(row),
      signs: signsOf(row).map((sign) => <SignView key={sign.id} sign={sign} />),
    }),
  );
  const refused = events.filter(({ status }) => status === "refused");
  const off = refused.map(
    ({ id, transactionId, workflow, searchKey, createdAt }): LogRow => ({
      id,
      transactionId,
      title: workflow.name,
      label: searchKey && labelOf(searchKey),
      createdAt,
      isUnhappy: true,
      signs: <span className={why.sign}>{words.why.off}</span>,
    }),
  );
  return off.length === 0 ? sent : [...sent, ...off].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

const SignView = ({ sign: { type, tone, text, until } }: { sign: Sign }) => (
  <span className={why.sign} data-tone={tone}>
    <Icon name={stepIcons[type]} size={13} />
    <span>
      {channelNames[type]}: {text}
      {until !== undefined && (
        <>
          {" "}
          <Time at={until} isTheirs />
        </>
      )}
    </span>
  </span>
);
