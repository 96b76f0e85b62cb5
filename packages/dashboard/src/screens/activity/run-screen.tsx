// One event: its timeline for a single subscriber; for many, the list of subscribers next to the chosen one's timeline.
import { getRouteApi } from "@tanstack/react-router";
import type { ActivityEvent, Notification } from "@tidings/contract";
import { useState } from "react";
import { triggerCurl } from "../../api/curl.ts";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { SaveScenario } from "../../app/save-scenario.tsx";
import { CopyButton, Id, Json } from "../../kit/data/code.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Card, Facts, Page } from "../../kit/layout/page.tsx";
import { lastFiltersOf } from "./filters.ts";
import css from "./run.module.css";
import { RunRecipient } from "./run-recipient.tsx";
import { RunRecipients } from "./run-recipients.tsx";
import { eventInput, recipientsInput } from "./search.ts";
import { TakeBackButton, TakenBack } from "./take-back/take-back.tsx";
import { TriggerAgain } from "./trigger-again.tsx";
import { words } from "./words.ts";

const runRoute = getRouteApi("/shell/activity/$transactionId");

export function RunScreen() {
  const { transactionId } = runRoute.useParams();
  const { subscriber, page = 0, outcome } = runRoute.useSearch();
  const { _id: environmentId } = useEnvironment();
  const back = { label: words.back, to: "/activity", search: lastFiltersOf(environmentId) } as const;
  const events = useOperation("activity.listEvents", eventInput(transactionId), { every: 5_000 });
  const event = events.data?.data[0];
  const subscribers = useOperation("notifications.list", recipientsInput(transactionId, { page, outcome }), {
    every: 5_000,
    keep: true,
  });
  if (subscribers.error && !subscribers.data)
    return (
      <Page title={words.run} back={back}>
        <ErrorPanel error={subscribers.error} onRetry={subscribers.refetch} />
      </Page>
    );
  if (!subscribers.data)
    return (
      <Page title={words.run} back={back}>
        <Skeleton />
      </Page>
    );
  const { data, hasMore } = subscribers.data;
  const isAlone = data.length === 1 && page === 0 && !hasMore && outcome === undefined;
  const shown = subscriber ?? (isAlone ? data[0]?.subscriber?.subscriberId : undefined);
  const first = data[0];
  return (
    <Page
      title={first?.template?.name ?? event?.workflow.name ?? words.run}
      back={back}
      lead={
        <span className={css.lead}>
          <Id text={transactionId} what={words.transaction} />
          {event?.isTest && (
            <span title={words.testHint}>
              <Badge tone="info">{words.test}</Badge>
            </span>
          )}
        </span>
      }
      actions={first && <RunActions notification={first} isAlone={isAlone} />}
    >
      {data.length === 0 && page === 0 && outcome === undefined && events.data && <NoSubscribers event={event} />}
      <div className={css.columns}>
        <div className={css.main}>
          {first && <TakenBack transactionId={transactionId} />}
          {!isAlone && data.length > 0 && (
            <RunRecipients event={event} subscribers={data} hasMore={hasMore} chosen={shown} />
          )}
          {shown !== undefined && event !== undefined ? (
            <RunRecipient key={shown} transactionId={transactionId} subscriberId={shown} name={nameIn(data, shown)} />
          ) : (
            !isAlone && data.length > 0 && <p className={css.choose}>{words.chooseSubscriber}</p>
          )}
        </div>
        {first && <RunFacts notification={first} />}
      </div>
    </Page>
  );
}

function nameIn(subscribers: Notification[], subscriberId: string): string | undefined {
  const subscriber = subscribers.find(({ subscriber }) => subscriber?.subscriberId === subscriberId)?.subscriber;
  return subscriber && ([subscriber.firstName, subscriber.lastName].filter(Boolean).join(" ") || undefined);
}

/** A transaction of another environment is the usual reason for an unknown one. */
function NoSubscribers({ event }: { event: ActivityEvent | undefined }) {
  if (!event) return <EmptyState icon="search" title={words.unknownRun} text={words.unknownRunText} />;
  if (event.status !== "refused") return <EmptyState icon="users" title={words.emptyRun} text={words.emptyRunText} />;
  const { workflow, createdAt, payload, recipient } = event;
  return (
    <>
      <EmptyState
        icon="workflow"
        title={words.offRun}
        text={words.offRunText(workflow.name)}
        action={
          <LinkButton to="/workflows/$workflowId" params={{ workflowId: workflow.workflowId }} icon="workflow">
            {words.openWorkflow}
          </LinkButton>
        }
      />
      <Card>
        <Facts
          of={[
            [words.received, <Time key="time" at={createdAt} />],
            [words.workflow, workflow.workflowId],
            [words.subscriber, recipient?.subscriberId],
            [words.payload, payload],
          ]}
        />
      </Card>
    </>
  );
}

function RunFacts({ notification }: { notification: Notification }) {
  const { createdAt = "", transactionId, payload = {}, contextKeys = [], topics = [], template } = notification;
  return (
    <aside className={css.aside}>
      <Card>
        <Facts
          of={[
            [words.accepted, <Time key="time" at={createdAt} />],
            [words.workflow, template?.triggers[0]?.identifier],
            [words.viaTopic, topics.map(({ topicKey }) => topicKey).join(", ")],
            [words.contexts, contextKeys.join(", ")],
            [words.transaction, <Id key="id" text={transactionId} what={words.transaction} />],
          ]}
        />
      </Card>
      <Card title={words.payload}>
        {Object.keys(payload).length === 0 ? <p>{words.noPayload}</p> : <Json value={payload} label={words.payload} />}
      </Card>
    </aside>
  );
}

/** What would trigger this event again. An event for a topic names the topic instead of its subscribers. */
function eventOf({ template, payload = {}, to, topics = [], subscriber, contextKeys }: Notification, isAlone: boolean) {
  const name = template?.triggers[0]?.identifier ?? template?.name ?? "";
  const members = topics.map(({ topicKey }) => ({ type: "Topic", topicKey }));
  return {
    name,
    to: !isAlone && members.length > 0 ? members : (subscriber?.subscriberId ?? to ?? ""),
    payload,
    ...(contextKeys && contextKeys.length > 0 && { contextKeys }),
  };
}

function RunActions({ notification, isAlone }: { notification: Notification; isAlone: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const event = eventOf(notification, isAlone);
  return (
    <>
      <CopyButton text={triggerCurl(event)} size="normal">
        {words.curl}
      </CopyButton>
      <LinkButton to="/workflows/$workflowId" params={{ workflowId: event.name }} icon="workflow">
        {words.openWorkflow}
      </LinkButton>
      <TakeBackButton transactionId={notification.transactionId} />
      <SaveScenario name={event.name || "scenario"} query={{ transactionId: notification.transactionId }} />
      {may("events.trigger") && (
        <Button icon="play" onClick={() => setOpen(true)}>
          {words.again}
        </Button>
      )}
      {isOpen && <TriggerAgain event={event} onClose={() => setOpen(false)} />}
    </>
  );
}
