// "Why did this person not get it?": the newest events of the person, each with the decision about every step and a link to where
// it can be changed; and an answer for any other event by its transaction id.
import { Link, useNavigate } from "@tanstack/react-router";
import type { Notification } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Icon } from "../../icons.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Disclosure, DisclosureList } from "../../kit/disclosure.tsx";
import { TextField } from "../../kit/field.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import type { Tone } from "../../kit/tone.ts";
import { labelOf } from "../activity/data.ts";
import { stepIcons } from "../activity/outcomes.ts";
import { Explained } from "./explained.tsx";
import css from "./people.module.css";
import { personRoute } from "./routes.ts";
import why from "./why.module.css";
import { words } from "./words.ts";

export function PersonWhy({ subscriberId }: { subscriberId: string }) {
  const { transaction } = personRoute.useSearch();
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
      to: "/people/$subscriberId",
      params: { subscriberId },
      search: (old) => ({ env: old.env, transaction: id }),
    });
  };
  const rows = data?.data ?? [];
  // The first event that did not go well is what is asked about most often.
  const shown = opened === undefined ? (rows.find(isUnhappy) ?? rows[0])?._id : opened;
  return (
    <div className={css.stack}>
      <div className={css.panelHead}>
        <div>
          <h2>{words.why.title}</h2>
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
          <Explained transactionId={transaction} subscriberId={subscriberId} />
        </section>
      )}
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && rows.length === 0 && <EmptyState icon="activity" title={words.why.none} text={words.why.noneText} />}
      {rows.length > 0 && (
        <DisclosureList label={words.why.list}>
          {rows.map((row) => (
            <Disclosure
              key={row._id}
              title={
                <>
                  <strong>{row.template?.name}</strong>
                  {row.searchKey && <span className={why.label}>{labelOf(row.searchKey)}</span>}
                </>
              }
              note={<span className={why.signs}>{signsOf(row)}</span>}
              end={row.createdAt && <Time at={row.createdAt} isRelative />}
              isOpen={row._id === shown}
              onOpen={(isOpen) => setOpened(isOpen ? (row._id ?? null) : null)}
            >
              {() => <Explained transactionId={row.transactionId} subscriberId={subscriberId} />}
            </Disclosure>
          ))}
        </DisclosureList>
      )}
      {rows.length > 0 && (
        <div>
          <LinkButton to="/activity" search={{ person: subscriberId }} size="small" icon="activity">
            {words.why.more}
          </LinkButton>
        </div>
      )}
      {transaction && (
        <Link to="/activity/$transactionId" params={{ transactionId: transaction }} search={{ person: subscriberId }}>
          {words.why.run}
        </Link>
      )}
    </div>
  );
}

const jobTones: Record<string, [Tone, keyof typeof words.why.outcomes]> = {
  completed: ["good", "sent"],
  skipped: ["quiet", "skipped"],
  failed: ["bad", "failed"],
  canceled: ["warn", "canceled"],
  merged: ["quiet", "merged"],
  delayed: ["info", "waiting"],
};

const stepsOf = ({ jobs = [] }: Notification) => jobs.filter(({ type }) => type in words.channelNames);

const isUnhappy = (row: Notification): boolean =>
  stepsOf(row).some(({ status }) => ["failed", "skipped", "canceled"].includes(status));

/** The channel steps as small signs: what each is, and how it went. */
const signsOf = (row: Notification) =>
  stepsOf(row).map(({ _id, type, status }) => {
    const [tone, word] = jobTones[status] ?? ["info", "sending"];
    const name = words.channelNames[type as keyof typeof words.channelNames];
    return (
      <span key={_id} className={why.sign} data-tone={tone}>
        <Icon name={stepIcons[type as keyof typeof stepIcons]} size={13} />
        {name}: {words.why.outcomes[word].toLowerCase()}
      </span>
    );
  });
