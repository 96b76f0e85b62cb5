// A broadcast that was sent: its progress while it runs, what it did, and the people of each outcome.
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { Audience, Broadcast, BroadcastOutcome, BroadcastResults } from "@tidings/contract";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { maxListed } from "../../../audiences/audience-picker.tsx";
import { useAudienceName } from "../../../audiences/use-audience-name.ts";
import { Sentence, Time } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../../kit/inputs/button.tsx";
import { Aside, Halves, Stack } from "../../../kit/layout/layout.tsx";
import { Card, Facts, Page } from "../../../kit/layout/page.tsx";
import { Menu } from "../../../kit/overlays/menu.tsx";
import { useConfirmedChange } from "../../../kit/overlays/use-confirmed-change.ts";
import { words as peopleWords } from "../../../subscribers/people-words.ts";
import { BroadcastMenu } from "../broadcast-menu.tsx";
import { timeText } from "../moments.ts";
import { StatusBadge } from "../status-badge.tsx";
import { words as listWords } from "../words.ts";
import { Controls } from "./controls.tsx";
import { OutcomePeople } from "./outcome-people.tsx";
import { outcomeOf } from "./outcomes.ts";
import { ProgressCard } from "./progress-card.tsx";
import { Causes, Results, Variants } from "./results.tsx";
import css from "./run.module.css";
import { words } from "./words.ts";

const broadcastRoute = getRouteApi("/shell/broadcasts/$broadcastId");
const back = { to: "/broadcasts", search: {}, label: listWords.back } as const;

export function RunView({ broadcast }: { broadcast: Broadcast }) {
  const { _id: broadcastId, name, status, transactionId, failure, progress } = broadcast;
  const outcome = outcomeOf(broadcastRoute.useSearch().outcome);
  const navigate = broadcastRoute.useNavigate();
  const leave = useNavigate();
  const isOpen = status === "running" || status === "paused";
  const { data, error, refetch } = useOperation(
    "broadcasts.retrieveResults",
    { params: { broadcastId } },
    { enabled: progress.people !== null, every: isOpen ? 3_000 : 20_000 },
  );
  const choose = (chosen: BroadcastOutcome | undefined) =>
    void navigate({ search: ({ env }) => ({ env, outcome: chosen }), replace: true, resetScroll: false });
  return (
    <Page
      title={name}
      heading={
        <>
          {name} <StatusBadge status={status} />
        </>
      }
      back={back}
      actions={
        <>
          {transactionId !== null && (
            <LinkButton icon="activity" to="/activity/$transactionId" params={{ transactionId }}>
              {words.activity}
            </LinkButton>
          )}
          {data && <Resend broadcast={broadcast} results={data} />}
          <Controls broadcast={broadcast} />
          <BroadcastMenu broadcast={broadcast} onDeleted={() => void leave({ to: "/broadcasts" })} />
        </>
      }
    >
      <Halves>
        <Stack>
          {failure !== null && (
            <Notice tone={status === "failed" ? "bad" : "warn"}>
              <strong>{status === "failed" ? words.failures.failed : words.failures.pausedBy}.</strong>{" "}
              <Sentence text={failure} />
            </Notice>
          )}
          <ProgressCard broadcast={broadcast} />
          {error && <ErrorPanel error={error} onRetry={refetch} />}
          {progress.people !== null && !data && !error && <Skeleton rows={4} />}
          {data && <Results results={data} chosen={outcome} onChoose={choose} />}
          {data && <Causes causes={data.causes} />}
          {data && <Variants variants={data.variants} />}
        </Stack>
        <Aside label={words.facts.title}>
          <About broadcast={broadcast} />
          {progress.people !== null && <OutcomePeople broadcastId={broadcastId} outcome={outcome} onChoose={choose} />}
        </Aside>
      </Halves>
    </Page>
  );
}

const ended: readonly Broadcast["status"][] = ["completed", "stopped"];
const again = ["not_opened", "failed"] as const;

/** A new draft for those whom the message has not reached. */
function Resend({ broadcast: { _id, status }, results }: { broadcast: Broadcast; results: BroadcastResults }) {
  const may = useMay();
  const navigate = useNavigate();
  const resend = useConfirmedChange("broadcasts.resend", ["broadcasts.list", "audiences.list"]);
  const offered = again.filter((outcome) => (results.outcomes[outcome] ?? 0) > 0);
  if (!ended.includes(status) || !may("broadcasts.resend") || offered.length === 0) return resend.dialog;
  const ask = (outcome: (typeof again)[number]) =>
    resend.ask(
      { params: { broadcastId: _id }, body: { outcome } },
      {
        title: words.resend.title,
        text: words.resend.text(peopleWords.people(results.outcomes[outcome] ?? 0)),
        label: words.resend.label,
        isAlways: true,
        done: words.resend.done,
        onDone: (made) => void navigate({ to: "/broadcasts/$broadcastId", params: { broadcastId: made._id } }),
      },
    );
  return (
    <>
      {resend.dialog}
      <Menu
        align="end"
        trigger={<Button icon="refresh">{words.resend.action}</Button>}
        entries={offered.map((outcome) => ({
          label: words.resend.outcomes[outcome],
          note: peopleWords.people(results.outcomes[outcome] ?? 0),
          onChoose: () => ask(outcome),
        }))}
      />
    </>
  );
}

function AudienceLink({ id, audiences }: { id: string; audiences: readonly Audience[] | undefined }) {
  return (
    <Link to="/audiences/$audienceId" params={{ audienceId: id }} className={css.name}>
      {useAudienceName(id, audiences)}
    </Link>
  );
}

function About({ broadcast }: { broadcast: Broadcast }) {
  const { content, audience, startedAt, finishedAt, createdBy, approval, resendOf } = broadcast;
  const say = words.facts;
  const { data } = useOperation("audiences.list", { query: { limit: maxListed } }, { staleTime: 60_000 });
  const link = (id: string) => <AudienceLink key={id} id={id} audiences={data?.data} />;
  const { exclude = [] } = audience;
  return (
    <Card title={say.title}>
      <Facts
        of={[
          [
            say.content,
            content.workflowId === undefined ? (
              <Link key="content" to="/broadcasts/$broadcastId/steps" params={{ broadcastId: broadcast._id }}>
                {say.own}
              </Link>
            ) : (
              <Link key="content" to="/workflows/$workflowId" params={{ workflowId: content.workflowId }}>
                {content.workflowId}
              </Link>
            ),
          ],
          [say.audience, audience.everyone ? say.everyone : audience.include.map(link)],
          [say.without, exclude.length > 0 ? exclude.map(link) : undefined],
          [say.time, timeText(broadcast) || undefined],
          [say.started, startedAt && <Time key="started" at={startedAt} />],
          [say.finished, finishedAt && <Time key="finished" at={finishedAt} />],
          [say.by, createdBy],
          [say.approvedBy, approval?.isApproved ? approval.decidedBy : undefined],
          [
            say.resendOf,
            resendOf && (
              <Link key="resend" to="/broadcasts/$broadcastId" params={{ broadcastId: resendOf }} search={{}}>
                {say.earlier}
              </Link>
            ),
          ],
        ]}
      />
    </Card>
  );
}
