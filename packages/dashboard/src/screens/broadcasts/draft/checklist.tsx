// The checklist before sending: a dry run of the whole audience, in sentences.
import type { Broadcast, BroadcastCheck, BroadcastCheckItem } from "@tidings/contract";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { Sentence, Time } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Progress } from "../../../kit/feedback/progress.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Verdict } from "../../../kit/feedback/verdict.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Hidden, Muted, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import { showError } from "../../../kit/overlays/toast.tsx";
import type { Tone } from "../../../kit/tone.ts";
import { words } from "../words.ts";
import css from "./draft.module.css";
import type { DraftEditor } from "./use-broadcast-draft.ts";

const say = words.check;
const pollMs = 1_000;

/** The newest check; undefined where there is none yet, which is not asked for. */
export function useCheck({ _id: broadcastId, checkedAt }: Broadcast) {
  const input = { params: { broadcastId } };
  const enabled = checkedAt !== null;
  const first = useOperation("broadcasts.retrieveCheck", input, { enabled });
  const isRunning = first.data?.status === "running";
  // The same response, asked for again while it changes.
  const { data: check, error } = useOperation("broadcasts.retrieveCheck", input, {
    enabled,
    ...(isRunning && { every: pollMs }),
  });
  return { check, error, isLoading: enabled && !check && !error };
}

export type Checked = ReturnType<typeof useCheck>;

export const problemsIn = (check: BroadcastCheck): number =>
  check.items.filter(({ level }) => level === "problem").length;

export function Checklist({ editor, checked }: { editor: DraftEditor; checked: Checked }) {
  const { broadcast, isChanged, isSaving } = editor;
  const { check, error, isLoading } = checked;
  const mayCheck = useMay()("broadcasts.check");
  const start = useChange("broadcasts.check", ["broadcasts.retrieve", "broadcasts.retrieveCheck"]);
  const run = () =>
    editor.withSaved(() => start.mutate({ params: { broadcastId: broadcast._id } }, { onError: showError }));
  const isRunning = check?.status === "running" || start.isPending;
  const isStale = check && !isRunning && (!check.isCurrent || isChanged);
  return (
    <Card
      title={say.title}
      actions={
        mayCheck &&
        check && (
          <Button size="small" icon="refresh" disabled={isRunning || isSaving} onClick={run}>
            {say.again}
          </Button>
        )
      }
    >
      <Stack>
        {error && <ErrorPanel error={error} />}
        {isLoading && <Skeleton rows={2} />}
        {!check && !error && !isLoading && (
          <>
            <Muted>{say.text}</Muted>
            {mayCheck && (
              <div>
                <Button icon="check" disabled={isRunning || isSaving} onClick={run}>
                  {say.start}
                </Button>
              </div>
            )}
          </>
        )}
        {check && isRunning && (
          <div role="status">
            <Progress
              label={say.progress}
              total={Math.max(1, check.people)}
              done={check.checked}
              parts={[{ tone: "accent", count: check.checked }]}
            />
            <Muted isSmall>{say.running(check.checked, check.people)}</Muted>
          </div>
        )}
        {isStale && (
          <Notice tone="warn" icon="refresh">
            {say.stale}
          </Notice>
        )}
        {check?.status === "failed" && !isRunning && <Notice tone="bad">{say.failed}</Notice>}
        {check && !isRunning && <Items check={check} isOld={isStale === true} />}
      </Stack>
    </Card>
  );
}

const tones: Record<BroadcastCheckItem["level"], Tone> = { ok: "good", warning: "warn", problem: "bad" };
const order: Record<BroadcastCheckItem["level"], number> = { problem: 0, warning: 1, ok: 2 };

function Items({ check, isOld }: { check: BroadcastCheck; isOld: boolean }) {
  // The number of people comes first, then what has to be fixed.
  const rank = ({ code, level }: BroadcastCheckItem) => (code === "people" ? -1 : order[level]);
  const items = check.items.toSorted((a, b) => rank(a) - rank(b));
  return (
    <>
      <ul className={css.items} aria-label={say.title} data-old={isOld}>
        {items.map(({ code, level, sentence }) => (
          <li key={`${code} ${sentence}`}>
            <span className={css.itemSign}>
              <Verdict tone={tones[level]} size={15} />
              <Hidden>{say.levels[level]}</Hidden>
            </span>
            <span className={code === "people" ? css.itemMain : undefined}>
              <Sentence text={sentence} />
            </span>
          </li>
        ))}
      </ul>
      {check.finishedAt && (
        <Muted isSmall>
          {say.at} <Time at={check.finishedAt} isRelative />
        </Muted>
      )}
    </>
  );
}
