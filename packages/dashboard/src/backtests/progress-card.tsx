// How far a backtest is, and the way out of it.
import type { Backtest } from "@tidings/contract";
import { useChange } from "../api/hooks.ts";
import { useMay } from "../api/permissions.ts";
import { Figure } from "../kit/data/figure.tsx";
import { formatDuration } from "../kit/data/time.tsx";
import { Progress } from "../kit/feedback/progress.tsx";
import { Button } from "../kit/inputs/button.tsx";
import { Muted, Note, Stack } from "../kit/layout/layout.tsx";
import { Card } from "../kit/layout/page.tsx";
import { showError, showToast } from "../kit/overlays/toast.tsx";
import css from "./backtests.module.css";
import { words } from "./words.ts";

const say = words.progress;

type ProgressCardProps = { backtest: Backtest; onCanceled: () => void };

export function ProgressCard({ backtest, onCanceled }: ProgressCardProps) {
  const { _id, status, progress } = backtest;
  const { percent, done, notifications, secondsLeft } = progress;
  const may = useMay();
  const cancel = useChange("backtests.cancel", ["backtests.list"]);
  const run = () =>
    cancel.mutate(
      { params: { backtestId: _id } },
      {
        onError: showError,
        onSuccess: () => {
          showToast({ title: words.canceled.done });
          onCanceled();
        },
      },
    );
  const shown = Math.floor(percent);
  return (
    <Card
      title={status === "queued" ? words.statuses.queued : say.title}
      actions={
        may("backtests.cancel") && (
          <Button size="small" icon="stop" disabled={cancel.isPending} onClick={run}>
            {cancel.isPending ? say.canceling : say.cancel}
          </Button>
        )
      }
    >
      <Stack>
        <div className={css.progressHead}>
          <Figure>{say.sentence(shown)}</Figure>
          <Note>
            {status === "queued"
              ? say.queued
              : secondsLeft === null
                ? say.noEstimate
                : say.left(formatDuration(Math.max(1, secondsLeft) * 1_000))}
          </Note>
        </div>
        <Progress label={say.label} total={100} done={shown} parts={[{ tone: "accent", count: shown }]} />
        <Muted>
          {say.done(done, notifications)}. {say.note}
        </Muted>
      </Stack>
    </Card>
  );
}
