// A replay: how far it is, what happened to its messages, and the buttons that pause, resume and stop it.
import { getRouteApi } from "@tanstack/react-router";
import type { DeadLetterReplay } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { formatDuration, Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Progress } from "../../kit/feedback/progress.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge, Dot } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Muted, Stack } from "../../kit/layout/layout.tsx";
import { Card, Facts, Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import type { Tone } from "../../kit/tone.ts";
import css from "./dead-letters.module.css";
import { staleAfterReplay } from "./replay-dialog.tsx";
import { describeFilter, statusTones } from "./replays.tsx";
import { words } from "./words.ts";

const replayRoute = getRouteApi("/shell/dead-letters/replays/$replayId");

const text = words.job;
const stale = ["deadLetterReplays.retrieve", ...staleAfterReplay] as const;

export function ReplayScreen() {
  const { replayId } = replayRoute.useParams();
  const params = { replayId };
  const first = useOperation("deadLetterReplays.retrieve", { params });
  const isMoving = first.data !== undefined && (first.data.status === "running" || underWay(first.data) > 0);
  // The same response, asked for again while it changes.
  const { data, error, refetch } = useOperation(
    "deadLetterReplays.retrieve",
    { params },
    { every: isMoving ? 1_000 : 15_000 },
  );
  return (
    <Page
      title={text.title}
      heading={
        <>
          {text.title} {data && <Badge tone={statusTones[data.status]}>{text.status[data.status]}</Badge>}
        </>
      }
      lead={data && describeFilter(data)}
      back={{ to: "/dead-letters", search: { tab: "replays" }, label: words.tabs.replays }}
      actions={data && <Actions replay={data} />}
      isNarrow
    >
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && <Watched replay={data} />}
    </Page>
  );
}

const underWay = ({ done, sent = 0, failed = 0 }: DeadLetterReplay): number => Math.max(0, done - sent - failed);

function Watched({ replay }: { replay: DeadLetterReplay }) {
  const { total, done, sent = 0, failed = 0, perSecond, status, createdAt, finishedAt } = replay;
  const isEnded = status === "done" || status === "stopped";
  const left = total - done;
  const numbers: [name: string, count: number, tone: Tone][] = [
    [text.sent, sent, "good"],
    [text.underWay, underWay(replay), "info"],
    [text.failed, failed, "bad"],
    [status === "done" ? text.skipped : text.left, left, "quiet"],
  ];
  return (
    <Stack>
      <Card>
        <Stack>
          <div className={css.progressHead}>
            <strong>{text.sentence(done, total)}</strong>
            {status === "running" && left > 0 && (
              <span className={css.muted}>{text.eta(formatDuration(Math.ceil(left / perSecond) * 1_000))}</span>
            )}
          </div>
          <Progress
            label={text.progress}
            total={total}
            done={done}
            parts={[
              { tone: "good", count: sent },
              { tone: "bad", count: failed },
              { tone: "info", count: underWay(replay) },
            ]}
          />
          <dl className={css.numbers}>
            {numbers.map(([name, count, tone]) => (
              <div key={name} className={css.number}>
                <dt>
                  <Dot tone={tone} />
                  {name}
                </dt>
                <dd>{count.toLocaleString()}</dd>
              </div>
            ))}
          </dl>
          {status === "done" && left > 0 && <Muted>{text.skippedText}</Muted>}
        </Stack>
      </Card>
      {failed > 0 && (
        <Notice
          tone="bad"
          action={
            <LinkButton size="small" to="/dead-letters">
              {text.seeCauses}
            </LinkButton>
          }
        >
          {text.failedText(failed)}
        </Notice>
      )}
      <Card>
        <Facts
          of={[
            [text.pace, text.perSecond(perSecond)],
            [text.through, replay.integrationIdentifier],
            [text.started, <Time key="started" at={createdAt} />],
            [text.finished, isEnded && finishedAt ? <Time key="finished" at={finishedAt} /> : undefined],
          ]}
        />
      </Card>
    </Stack>
  );
}

function Actions({ replay: { id, status } }: { replay: DeadLetterReplay }) {
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const pause = useChange("deadLetterReplays.pause", stale);
  const resume = useChange("deadLetterReplays.resume", stale);
  const stop = useChange("deadLetterReplays.stop", stale);
  if (status === "done" || status === "stopped" || !may("deadLetterReplays.stop")) return dialog;
  const input = { params: { replayId: id } };
  const isBusy = pause.isPending || resume.isPending || stop.isPending;
  const ask = () =>
    confirm({ title: text.stopTitle, text: text.stopText, label: text.stop, isDanger: true, isAlways: true }, () =>
      stop.mutate(input, { onError: showError }),
    );
  return (
    <>
      {dialog}
      {status === "running" ? (
        <Button icon="pause" disabled={isBusy} onClick={() => pause.mutate(input, { onError: showError })}>
          {text.pause}
        </Button>
      ) : (
        <Button
          icon="play"
          look="primary"
          disabled={isBusy}
          onClick={() => resume.mutate(input, { onError: showError })}
        >
          {text.resume}
        </Button>
      )}
      <Button icon="stop" look="danger" disabled={isBusy} onClick={ask}>
        {text.stop}
      </Button>
    </>
  );
}
