// Starts a backtest of a chosen period. What keeps it from starting is shown with the way out.
import { useQueryClient } from "@tanstack/react-query";
import type { Backtest, CallInput } from "@tidings/contract";
import { type ReactNode, useState } from "react";
import type { ApiError } from "../api/api-error.ts";
import { useChange, useOperation } from "../api/hooks.ts";
import { requiredRole, useMay } from "../api/permissions.ts";
import { useEnvironment } from "../api/session.tsx";
import { Notice } from "../kit/feedback/notice.tsx";
import { ErrorPanel } from "../kit/feedback/states.tsx";
import { Button, LinkButton } from "../kit/inputs/button.tsx";
import { Select } from "../kit/inputs/select.tsx";
import { words as kitWords } from "../words.ts";
import css from "./backtests.module.css";
import { isMoving } from "./use-backtest.ts";
import { words } from "./words.ts";

const say = words.start;

/** Days, up to the most that the service replays. */
const periods = [1, 3, 7, 14, 31] as const;
const usual = 7;

type Change = Pick<CallInput<"backtests.create">["body"], "change" | "name">;

type StartProps = {
  /** Read at the press of the button. */
  change: () => Change;
  onStarted: (backtest: Backtest) => void;
  /** Another backtest runs: shows that one. */
  onShow: (backtestId: string) => void;
  /** What the button says, where it is not a change that is tried. */
  label?: (days: number) => string;
  isPrimary?: boolean;
  /** Next to the button. */
  children?: ReactNode;
};

export function StartBacktest({ change, onStarted, onShow, label = say.run, isPrimary, children }: StartProps) {
  const may = useMay();
  const queries = useQueryClient();
  const { _id: environmentId } = useEnvironment();
  const [days, setDays] = useState<number>(usual);
  const create = useChange("backtests.create", ["backtests.list"]);
  const start = (lastDays = days) => {
    setDays(lastDays);
    create.mutate(
      { body: { lastDays, ...change() } },
      {
        onSuccess: onStarted,
        // Which one runs is in the list.
        onError: () => void queries.invalidateQueries({ queryKey: [environmentId, "backtests.list"] }),
      },
    );
  };
  if (!may("backtests.create"))
    return <Notice icon="key">{kitWords.needsRole(requiredRole("backtests.create"))}</Notice>;
  return (
    <div className={css.start}>
      <div className={css.startBar}>
        <Select
          name={say.period}
          value={String(days)}
          choices={periods.map((count) => ({ value: String(count), label: say.days(count) }))}
          onChange={(chosen) => {
            create.reset();
            setDays(Number(chosen));
          }}
        />
        <Button
          icon="play"
          look={isPrimary ? "primary" : undefined}
          disabled={create.isPending}
          onClick={() => start()}
        >
          {create.isPending ? say.starting : label(days)}
        </Button>
        {children}
      </div>
      {create.error && <Refused error={create.error} days={days} onShow={onShow} onLonger={start} />}
    </div>
  );
}

type RefusedProps = {
  error: ApiError;
  days: number;
  onShow: (backtestId: string) => void;
  onLonger: (days: number) => void;
};

function Refused({ error, days, onShow, onLonger }: RefusedProps) {
  const { code, fields } = error;
  if (code === "BACKTEST_RUNNING") return <OtherRunning onShow={onShow} />;
  if (code === "BACKTEST_TEST_CLOCK")
    return (
      <div role="alert">
        <Notice
          tone="warn"
          action={
            <LinkButton size="small" icon="timer" to="/clock">
              {say.openClock}
            </LinkButton>
          }
        >
          {say.clock}
        </Notice>
      </div>
    );
  if (code === "BACKTEST_EMPTY") {
    const longer = periods.find((count) => count > days);
    return (
      <div role="alert">
        <Notice
          tone="warn"
          action={
            longer !== undefined && (
              <Button size="small" onClick={() => onLonger(longer)}>
                {say.longer(longer)}
              </Button>
            )
          }
        >
          <strong>{say.empty(days)}</strong>
          <p>{say.emptyText}</p>
        </Notice>
      </div>
    );
  }
  const problems = Object.entries(fields);
  if (problems.length === 0) return <ErrorPanel error={error} />;
  return (
    <div role="alert">
      <Notice tone="bad">
        <strong>{say.refused}</strong>
        <p>{say.refusedText}</p>
        <ul className={css.problems}>
          {problems.map(([field, message]) => (
            <li key={field}>{withoutPath(message)}</li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

/** The service names fields as the request has them; the reader knows the steps of the editor. */
const withoutPath = (message: string): string => message.replaceAll(/change\.workflows\.\d+\.?/g, "");

function OtherRunning({ onShow }: { onShow: (backtestId: string) => void }) {
  const { data } = useOperation("backtests.list", { query: { limit: 20 } }, { every: 2_000, staleTime: 0 });
  const running = data?.data.find(isMoving);
  return (
    <div role="status">
      <Notice
        tone="warn"
        icon="clock"
        action={
          running && (
            <Button size="small" onClick={() => onShow(running._id)}>
              {say.show}
            </Button>
          )
        }
      >
        {data && !running ? say.runningGone : say.running}
      </Notice>
    </div>
  );
}
