// The causes, the largest first: what is wrong in one sentence, how many messages it holds up and since when, and where
// to fix it.
import { Link } from "@tanstack/react-router";
import type { DeadLetterGroup } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Muted, Stack, Tools } from "../../kit/layout/layout.tsx";
import css from "./dead-letters.module.css";
import { ReplayDialog } from "./replay-dialog.tsx";
import { words } from "./words.ts";

const text = words.causes;
const maxCounted = 50_000;

type Workflow = DeadLetterGroup["workflows"][number];

/** The letters of a cause, or of one of its workflows. */
const searchOf = ({ integrationIdentifier, errorClass }: DeadLetterGroup, workflow?: Workflow) => ({
  integration: integrationIdentifier,
  error: errorClass,
  ...(workflow && { workflow: workflow.workflowId }),
});

export const sentenceOf = ({ errorClass, integrationName }: DeadLetterGroup): string =>
  text.sentence[errorClass](integrationName);

export function Causes() {
  const { data, error, refetch } = useOperation("deadLetters.listGroups", {}, { every: 10_000 });
  if (error && !data) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  if (data.data.length === 0) return <EmptyState icon="check" title={text.none} text={text.noneText} />;
  return (
    <Stack>
      <ul className={css.causes} aria-label={text.list}>
        {data.data.map((group) => (
          <Cause key={`${group.integrationId} ${group.errorClass}`} group={group} />
        ))}
      </ul>
      {data.totalCount >= maxCounted && <Muted>{text.capped}</Muted>}
    </Stack>
  );
}

const Cause = ({ group }: { group: DeadLetterGroup }) => {
  const may = useMay();
  const [isReplaying, setReplaying] = useState(false);
  const { integrationIdentifier, errorClass, channel, count } = group;
  return (
    <li className={css.cause}>
      <div className={css.count}>
        <strong>{count.toLocaleString()}</strong>
        <span>{words.messages(count).replace(/^\S+ /, "")}</span>
      </div>
      <div className={css.causeText}>
        <Link to="/dead-letters/group" search={searchOf(group)} className={css.causeLink}>
          {sentenceOf(group)}
        </Link>
        <p className={css.muted}>
          {text.since} <Time at={group.firstAt} />
        </p>
        <WorkflowChips group={group} />
        <p className={css.fix}>{text.fix[errorClass]}</p>
        <StateBadges group={group} />
      </div>
      <div className={css.causeEnd}>
        <FixLinks group={group} />
        {may("deadLetterReplays.create") && (
          <Button size="small" icon="send" onClick={() => setReplaying(true)}>
            {words.group.replay(count)}
          </Button>
        )}
        {isReplaying && (
          <ReplayDialog
            selection={{ filter: { integrationIdentifier, errorClass } }}
            total={count}
            channel={channel}
            onClose={() => setReplaying(false)}
          />
        )}
      </div>
    </li>
  );
};

/** The workflows that a cause holds up; each leads to its own letters. `chosen`: the one that is shown. */
export const WorkflowChips = ({ group, chosen }: { group: DeadLetterGroup; chosen?: string }) => {
  const { workflows, workflowCount } = group;
  return (
    <ul className={css.chips} aria-label={text.workflows}>
      {workflows.map((workflow) => {
        const isChosen = workflow.workflowId === chosen;
        return (
          <li key={workflow.workflowId}>
            <Link
              to="/dead-letters/group"
              search={isChosen ? searchOf(group) : searchOf(group, workflow)}
              className={css.chip}
              aria-current={isChosen || undefined}
            >
              {workflow.name || text.deletedWorkflow} <span>{workflow.count.toLocaleString()}</span>
            </Link>
          </li>
        );
      })}
      {workflowCount > workflows.length && <li className={css.muted}>{text.more(workflowCount - workflows.length)}</li>}
    </ul>
  );
};

export const StateBadges = ({ group }: { group: DeadLetterGroup }) =>
  (!group.isIntegrationActive || group.isCircuitOpen) && (
    <Tools>
      {!group.isIntegrationActive && <Badge tone="warn">{text.off}</Badge>}
      {group.isCircuitOpen && <Badge tone="bad">{text.circuit}</Badge>}
    </Tools>
  );

/** Where the cause is fixed: the integration, and the step where its content may be the reason. */
export const FixLinks = ({ group }: { group: DeadLetterGroup }) => {
  const { integrationId, errorClass, workflows } = group;
  const [first] = workflows;
  return (
    <>
      <LinkButton size="small" icon="plug" to="/integrations/$integrationId" params={{ integrationId }}>
        {text.fixIt(group.integrationName)}
      </LinkButton>
      {errorClass === "config" && first?.name && (
        <LinkButton
          size="small"
          icon="workflow"
          to="/workflows/$workflowId"
          params={{ workflowId: first.workflowId }}
          search={{ step: first.stepIds[0] }}
        >
          {text.openStep}
        </LinkButton>
      )}
    </>
  );
};
