// The causes, the largest first: what is wrong in one sentence, how many messages it holds up and since when, and where to fix it.
import { Link } from "@tanstack/react-router";
import type { DeadLetterGroup } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Muted, Stack, Tools } from "../../kit/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { Badge } from "../../kit/verdict.tsx";
import css from "./dead-letters.module.css";
import { words } from "./words.ts";

const text = words.causes;
const mostCounted = 50_000;

const searchOf = ({ integrationIdentifier, errorClass, workflowId }: DeadLetterGroup) => ({
  integration: integrationIdentifier,
  error: errorClass,
  workflow: workflowId,
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
          <Cause key={`${group.integrationId} ${group.errorClass} ${group.workflowId}`} group={group} />
        ))}
      </ul>
      {data.totalCount >= mostCounted && <Muted>{text.capped}</Muted>}
    </Stack>
  );
}

const Cause = ({ group }: { group: DeadLetterGroup }) => (
  <li className={css.cause}>
    <div className={css.count}>
      <strong>{group.count.toLocaleString()}</strong>
      <span>{words.messages(group.count).replace(/^\S+ /, "")}</span>
    </div>
    <div className={css.causeText}>
      <Link to="/dead-letters/group" search={searchOf(group)} className={css.causeLink}>
        {sentenceOf(group)}
      </Link>
      <p className={css.muted}>
        {text.of(group.workflowName || text.deletedWorkflow)}, {text.since} <Time at={group.firstAt} />
      </p>
      <p className={css.fix}>{text.fix[group.errorClass]}</p>
      <StateBadges group={group} />
    </div>
    <div className={css.causeEnd}>
      <FixLinks group={group} />
    </div>
  </li>
);

export const StateBadges = ({ group }: { group: DeadLetterGroup }) =>
  (!group.isIntegrationActive || group.isCircuitOpen) && (
    <Tools>
      {!group.isIntegrationActive && <Badge tone="warn">{text.off}</Badge>}
      {group.isCircuitOpen && <Badge tone="bad">{text.circuit}</Badge>}
    </Tools>
  );

/** Where the cause is fixed: the integration, and the step where its content may be the reason. */
export const FixLinks = ({ group }: { group: DeadLetterGroup }) => {
  const { integrationId, errorClass, workflowId, workflowName, stepIds } = group;
  return (
    <Tools>
      <LinkButton size="small" icon="plug" to="/integrations/$integrationId" params={{ integrationId }}>
        {text.openIntegration}
      </LinkButton>
      {errorClass === "config" && workflowName && (
        <LinkButton
          size="small"
          icon="workflow"
          to="/workflows/$workflowId"
          params={{ workflowId }}
          search={{ step: stepIds[0] }}
        >
          {text.openStep}
        </LinkButton>
      )}
    </Tools>
  );
};
