// One event: for one person its timeline, for many the list of people beside the timeline of the chosen one.
import type { ActivityEvent, Notification } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { SaveScenario } from "../../app/save-scenario.tsx";
import { useEnvironment } from "../../app/session.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { CopyButton, Id, Json } from "../../kit/code.tsx";
import { Card, Facts, Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { triggerCurl } from "./curl.ts";
import { lastFiltersOf } from "./filters.ts";
import { eventInput, peopleInput, runRoute } from "./routes.ts";
import css from "./run.module.css";
import { RunPeople } from "./run-people.tsx";
import { RunPerson } from "./run-person.tsx";
import { TriggerAgain } from "./trigger-again.tsx";
import { words } from "./words.ts";

export function RunScreen() {
  const { transactionId } = runRoute.useParams();
  const { person, page = 0, outcome } = runRoute.useSearch();
  const { _id: environmentId } = useEnvironment();
  const back = { label: words.back, to: "/activity", search: lastFiltersOf(environmentId) } as const;
  const events = useOperation("activity.listEvents", eventInput(transactionId), { every: 5_000 });
  const event = events.data?.data[0];
  const people = useOperation("notifications.list", peopleInput(transactionId, { page, outcome }), {
    every: 5_000,
    keep: true,
  });
  if (people.error && !people.data)
    return (
      <Page title={words.run} back={back}>
        <ErrorPanel error={people.error} onRetry={people.refetch} />
      </Page>
    );
  if (!people.data)
    return (
      <Page title={words.run} back={back}>
        <Skeleton />
      </Page>
    );
  const { data, hasMore } = people.data;
  const isAlone = data.length === 1 && page === 0 && !hasMore && outcome === undefined;
  const shown = person ?? (isAlone ? data[0]?.subscriber?.subscriberId : undefined);
  const first = data[0];
  return (
    <Page
      title={first?.template?.name ?? event?.workflow.name ?? words.run}
      back={back}
      lead={<Id text={transactionId} what={words.transaction} />}
      actions={first && <RunActions notification={first} isAlone={isAlone} />}
    >
      {data.length === 0 && page === 0 && outcome === undefined && events.data && <NoPeople event={event} />}
      <div className={css.columns}>
        <div className={css.main}>
          {!isAlone && data.length > 0 && <RunPeople event={event} people={data} hasMore={hasMore} chosen={shown} />}
          {shown !== undefined && event !== undefined ? (
            <RunPerson key={shown} transactionId={transactionId} subscriberId={shown} name={nameIn(data, shown)} />
          ) : (
            !isAlone && data.length > 0 && <p className={css.choose}>{words.choosePerson}</p>
          )}
        </div>
        {first && <RunFacts notification={first} />}
      </div>
    </Page>
  );
}

function nameIn(people: Notification[], subscriberId: string): string | undefined {
  const person = people.find(({ subscriber }) => subscriber?.subscriberId === subscriberId)?.subscriber;
  return person && ([person.firstName, person.lastName].filter(Boolean).join(" ") || undefined);
}

/** A transaction of another environment is the usual reason for an unknown one. */
function NoPeople({ event }: { event: ActivityEvent | undefined }) {
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

/** What would make this event again. Of an event for a topic, the topic in place of its people. */
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
