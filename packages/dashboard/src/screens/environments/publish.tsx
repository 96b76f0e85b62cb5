// Publishing: what differs between two environments, in sentences; each resource is chosen automatically.
import type { Output, PublishedResource, ResourceDiff } from "@tidings/contract";
import { useState } from "react";
import type { Environment } from "../../api/auth.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Icon } from "../../icons.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { actionOf, checksOf, hasFault, idOf, keyOf, nameOf } from "./differences.ts";
import css from "./environments.module.css";
import { ResourceCard } from "./resource-card.tsx";
import { useEnds } from "./use-ends.ts";
import { words } from "./words.ts";

const text = words.publish;
/** Workflows whose runs in progress are counted without being asked for. */
const maxCounted = 20;

/** Deletions, which only happen when they are chosen, come last. */
const orders = { added: 0, modified: 0, deleted: 1 };

export function Publish() {
  const { environments, source, target, change } = useEnds();
  if (!source) return <EmptyState icon="layers" title={words.tabs.publish} text={text.one} />;
  const choices = (without?: Environment) =>
    environments
      .filter(({ _id }) => _id !== without?._id)
      .map(({ identifier, name, type }) => ({
        value: identifier,
        label: name,
        note: type === "prod" ? words.production : words.development,
      }));
  return (
    <Stack>
      <div className={css.ends}>
        <Select
          name={text.from}
          value={source.identifier}
          choices={choices(target)}
          onChange={(value) => change({ source: value })}
        />
        <span className={css.arrow}>
          <Icon name="arrowRight" />
        </span>
        <Select
          name={text.to}
          value={target.identifier}
          choices={choices()}
          onChange={(value) =>
            change({ target: value, ...(value === source.identifier && { source: target.identifier }) })
          }
        />
      </div>
      <Comparison key={`${source._id} ${target._id}`} source={source} target={target} />
    </Stack>
  );
}

type Ends = { source: Environment; target: Environment };
type Published = Output<"environments.publish">;

function Comparison({ source, target }: Ends) {
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const { data, error, refetch } = useOperation(
    "environments.diff",
    { params: { targetEnvironmentId: target._id }, body: { sourceEnvironmentId: source._id } },
    { environmentId: target._id, staleTime: 0 },
  );
  const publish = useChange(
    "environments.publish",
    ["environments.diff", "environments.listPublishes", "workflows.list", "workflows.retrieve"],
    target._id,
  );
  // What only the target has is deleted by publishing it, and what has an error is wrong there too: both have to be
  // chosen.
  const [changed, setChanged] = useState<Readonly<Record<string, boolean>>>({});
  const resources = [...(data?.resources ?? [])].sort((a, b) => orders[actionOf(a)] - orders[actionOf(b)]);
  const isChosen = (one: ResourceDiff) => changed[keyOf(one)] ?? (actionOf(one) !== "deleted" && !hasFault(one));
  const chosen = resources.filter(isChosen);
  const choose = (all: readonly ResourceDiff[], isOn: boolean) =>
    setChanged({ ...changed, ...Object.fromEntries(all.map((one) => [keyOf(one), isOn])) });
  const run = () =>
    publish.mutate(
      {
        params: { targetEnvironmentId: target._id },
        body: {
          sourceEnvironmentId: source._id,
          resources: chosen.map((one) => ({
            resourceType: one.resourceType as PublishedResource,
            resourceId: idOf(one),
          })),
        },
      },
      { onError: showError, onSuccess: () => setChanged({}) },
    );
  const ask = () => {
    const deleted = chosen.filter((one) => actionOf(one) === "deleted").map(nameOf);
    const problems = chosen.flatMap((one) =>
      checksOf(one, chosen).map(({ message }) => text.problemOf(nameOf(one), message)),
    );
    confirm(
      {
        title: text.confirmTitle(target.name),
        text: [
          text.confirmText(chosen.slice(0, 5).map(nameOf), chosen.length),
          ...(deleted.length > 0 ? [text.confirmDeleted(deleted)] : []),
          ...(problems.length > 0 ? [text.confirmProblems(problems.slice(0, 3), problems.length)] : []),
        ].join(" "),
        label: text.confirm,
        isDanger: deleted.length > 0,
        isAlways: true,
        environment: target,
      },
      run,
    );
  };
  const mayPublish = may("environments.publish");
  const leftOut = resources.filter((one) => hasFault(one) && !isChosen(one)).length;
  return (
    <>
      {dialog}
      {publish.data && <Result published={publish.data} target={target} />}
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && resources.length === 0 && (
        <EmptyState icon="check" title={text.same} text={text.sameText(source.name, target.name)} />
      )}
      {resources.length > 0 && !mayPublish && <Notice icon="key">{text.needsRole}</Notice>}
      {resources.length > 0 && (
        <ul className={css.resources} aria-label={text.list}>
          {resources.map((one, index) => (
            <ResourceCard
              key={keyOf(one)}
              resource={one}
              target={target}
              isChosen={isChosen(one)}
              isCounted={index < maxCounted}
              missing={missingLayouts(one, chosen)}
              checks={checksOf(one, chosen)}
              onChoose={mayPublish ? (isOn) => choose([one], isOn) : undefined}
            />
          ))}
        </ul>
      )}
      {resources.length > 0 && mayPublish && (
        <div className={css.bar}>
          <Muted>
            {text.chosen(chosen.length, resources.length)}
            {leftOut > 0 && ` ${text.leftOut(leftOut)}`}
          </Muted>
          <Row>
            {resources.length > 1 && (
              <Button look="plain" onClick={() => choose(resources, chosen.length === 0)}>
                {chosen.length === 0 ? text.all : text.none}
              </Button>
            )}
            <Button look="primary" icon="send" onClick={ask} disabled={chosen.length === 0 || publish.isPending}>
              {text.action(chosen.length, target.name)}
            </Button>
          </Row>
        </div>
      )}
    </>
  );
}

/** Layouts that the resource needs, that the target does not have, and that are not chosen. */
function missingLayouts(one: ResourceDiff, chosen: readonly ResourceDiff[]): string[] {
  const layouts = new Set(chosen.filter(({ resourceType }) => resourceType === "layout").map(idOf));
  return (one.dependencies ?? [])
    .filter(({ isBlocking, resourceId }) => isBlocking && !layouts.has(resourceId))
    .map(({ resourceName }) => resourceName);
}

function Result({ published: { results, publishId }, target }: { published: Published; target: Environment }) {
  const done = results.flatMap(({ successful }) => successful);
  const failed = results.flatMap((result) => result.failed);
  const counted = (["created", "updated", "deleted"] as const)
    .map((action) => ({ action, number: done.filter((one) => one.action === action).length }))
    .filter(({ number }) => number > 0)
    .map(({ action, number }) => text[action](number));
  return (
    <Stack isSmall>
      {/* Announced when it appears. */}
      <div role="status">
        <Notice
          tone={done.length > 0 ? "good" : "info"}
          icon={done.length > 0 ? "circleCheck" : "alert"}
          action={
            publishId && (
              <LinkButton
                size="small"
                to="/environments"
                search={{ tab: "history", target: target.identifier, publish: publishId }}
              >
                {text.open}
              </LinkButton>
            )
          }
        >
          {counted.length > 0 ? text.done(target.name, counted.join(", ")) : text.nothing}
        </Notice>
      </div>
      {failed.map(({ resourceType, resourceId, resourceName, error }) => (
        <Notice key={`${resourceType} ${resourceId}`} tone="bad">
          {text.failed(resourceName, error)}
        </Notice>
      ))}
      {done.map(
        ({ resourceType, resourceId, resourceName, issues = [] }) =>
          issues.length > 0 && (
            <Notice key={`${resourceType} ${resourceId}`} tone="warn">
              {text.issues(resourceName, [...new Set(issues.map(({ message }) => message))])}
            </Notice>
          ),
      )}
    </Stack>
  );
}
