// The messages of one person, each with both versions side by side.

import type { BacktestMessage } from "@tidings/contract";
import { useEffect, useRef, useState } from "react";
import { useOperation } from "../api/hooks.ts";
import { Time } from "../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../kit/feedback/states.tsx";
import { Badge } from "../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../kit/inputs/button.tsx";
import { Segments } from "../kit/inputs/segments.tsx";
import { Disclosure, DisclosureList } from "../kit/layout/disclosure.tsx";
import { Muted, Note, Stack, Tools } from "../kit/layout/layout.tsx";
import { Avatar } from "../subscribers/avatar.tsx";
import css from "./backtests.module.css";
import { BothVersions } from "./both-versions.tsx";
import { effectNames, effectTones } from "./effects.ts";
import { words } from "./words.ts";

const say = words.person;

type PersonViewProps = { backtestId: string; subscriberId: string; onBack: () => void };

export function PersonView({ backtestId, subscriberId, onBack }: PersonViewProps) {
  const [which, setWhich] = useState<keyof typeof say.which>("differing");
  const { data, error, refetch, isPlaceholderData } = useOperation(
    "backtests.person",
    { params: { backtestId, subscriberId }, query: { all: which === "all" } },
    { keep: true, staleTime: 60_000 },
  );
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const name = data?.name ?? subscriberId;
  return (
    <Stack>
      <div className={css.personHead}>
        <Button size="small" look="plain" icon="arrowLeft" onClick={onBack}>
          {say.back}
        </Button>
        <div className={css.personTitle}>
          <Avatar subscriber={{ subscriberId, firstName: data?.name }} isLarge />
          <div className={css.personText}>
            <h2 ref={heading} tabIndex={-1}>
              {name}
            </h2>
            {name !== subscriberId && <Note>{subscriberId}</Note>}
          </div>
          <LinkButton size="small" icon="user" to="/subscribers/$subscriberId" params={{ subscriberId }} search={{}}>
            {say.profile}
          </LinkButton>
        </div>
        <Tools>
          <Segments label={say.shown} value={which} choices={say.which} onChoose={setWhich} />
        </Tools>
      </div>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && (
        <div aria-busy={isPlaceholderData}>
          <Stack>
            {data.messages.length === 0 ? (
              <EmptyState icon="circleCheck" title={say.none} text={say.noneText} />
            ) : (
              <Messages of={data.messages} />
            )}
            <Muted>
              {data.isTruncated && `${say.truncated} `}
              {say.today}
            </Muted>
          </Stack>
        </div>
      )}
    </Stack>
  );
}

const keyOf = ({ notificationId, stepId }: BacktestMessage): string => `${notificationId} ${stepId}`;

/** The first is open: a person often has one difference only. */
const Messages = ({ of }: { of: readonly BacktestMessage[] }) => (
  <DisclosureList label={say.shown}>
    {of.map((message, index) => (
      <Disclosure
        key={keyOf(message)}
        isInitiallyOpen={index === 0}
        title={
          <span className={css.title}>
            <strong>{message.stepName}</strong>
            <Note>{message.workflowId}</Note>
          </span>
        }
        note={message.sentence}
        end={
          <>
            {message.effect && <Badge tone={effectTones[message.effect]}>{effectNames[message.effect]}</Badge>}
            <Time at={message.time} />
          </>
        }
      >
        {() => <BothVersions message={message} />}
      </Disclosure>
    ))}
  </DisclosureList>
);
