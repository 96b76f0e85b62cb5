// What was published to an environment, newest first; an opened publish shows what it changed and can be rolled back.
import { getRouteApi } from "@tanstack/react-router";
import type { PublishChange, PublishHead } from "@tidings/contract";
import { useState } from "react";
import type { Environment } from "../../api/auth.ts";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Icon } from "../../icons.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Disclosure, DisclosureList } from "../../kit/layout/disclosure.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import type { Tone } from "../../kit/tone.ts";
import { resourceIcons } from "./differences.ts";
import css from "./environments.module.css";
import { RestoreDialog } from "./restore-dialog.tsx";
import { useEnds } from "./use-ends.ts";
import { words } from "./words.ts";

const environmentsRoute = getRouteApi("/shell/environments");

const text = words.history;

export function History() {
  const { environments, target, change } = useEnds();
  const { publish: opened, after } = environmentsRoute.useSearch();
  const { data, error, refetch } = useOperation(
    "environments.listPublishes",
    { params: { environmentId: target._id }, query: { limit: 20, after } },
    { environmentId: target._id, keep: true },
  );
  return (
    <Stack>
      <Row>
        <Select
          name={words.environment}
          value={target.identifier}
          choices={environments.map(({ identifier, name }) => ({ value: identifier, label: name }))}
          onChange={(value) => change({ target: value })}
        />
      </Row>
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon="send"
            title={text.none}
            text={text.noneText(target.name)}
            action={<Button onClick={() => change({ tab: "publish" })}>{text.goPublish}</Button>}
          />
        }
      >
        {(rows) => (
          <DisclosureList label={text.list(target.name)}>
            {rows.map((head) => (
              <PublishEntry
                key={head.id}
                head={head}
                target={target}
                isOpen={head.id === opened}
                onOpen={(isOpen) => change({ publish: isOpen ? head.id : undefined, after })}
              />
            ))}
          </DisclosureList>
        )}
      </ListView>
      {data && (data.next || after) && (
        <Pager
          onPrevious={after ? () => change({ after: undefined }) : undefined}
          onNext={data.next ? () => change({ after: data.next! }) : undefined}
        />
      )}
    </Stack>
  );
}

type PublishEntryProps = { head: PublishHead; target: Environment; isOpen: boolean; onOpen: (isOpen: boolean) => void };

function PublishEntry({ head, target, isOpen, onOpen }: PublishEntryProps) {
  const total = head.created + head.updated + head.deleted;
  return (
    <Disclosure
      title={
        <>
          <strong>{head.createdBy.name}</strong>{" "}
          {head.kind === "restore" ? text.restored(total) : text.published(head.source.name, total)}
        </>
      }
      note={text.names(head.names, total)}
      end={
        <>
          {head.restoredAt && <Badge tone="warn">{text.takenBack}</Badge>} <Time at={head.createdAt} isRelative />
        </>
      }
      isOpen={isOpen}
      onOpen={onOpen}
    >
      {() => <Opened head={head} target={target} />}
    </Disclosure>
  );
}

const tones: Record<PublishChange["action"], Tone> = { created: "good", updated: "accent", deleted: "bad" };

function Opened({ head, target }: { head: PublishHead; target: Environment }) {
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useOperation(
    "environments.retrievePublish",
    { params: { environmentId: target._id, publishId: head.id } },
    { environmentId: target._id },
  );
  return (
    <>
      {isAsking && <RestoreDialog publishId={head.id} target={target} onClose={() => setAsking(false)} />}
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.resources.map((one) => (
        <div key={`${one.resourceType} ${one.resourceId}`} className={css.change}>
          <div className={css.resourceHead}>
            <Icon name={resourceIcons[one.resourceType]} size={15} />
            <strong>{one.resourceName}</strong>
            <Badge tone={tones[one.action]}>{text.actions[one.action]}</Badge>
            {(one.versionBefore ?? one.versionAfter) !== null && (
              <span className={css.weak}>{text.versions(one.versionBefore, one.versionAfter)}</span>
            )}
          </div>
          {one.sentences.length === 0 ? (
            <Muted>{text.noSentences}</Muted>
          ) : (
            <ul className={css.sentences}>
              {one.sentences.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
        </div>
      ))}
      {data && !data.restoredAt && may("environments.restorePublish") && (
        <div>
          <Button icon="undo" onClick={() => setAsking(true)}>
            {text.restore}
          </Button>
        </div>
      )}
    </>
  );
}
