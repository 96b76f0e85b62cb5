// How an integration is: its last error, what waits for it and when it is tried next, and a question to the provider
// itself.
import type { Integration, Provider } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { conditionOf, conditionTones, countMessages, formatAge, sayNextTry, sayTrouble } from "../../health/outage.ts";
import { staleAfterChange, useTryNow } from "../../health/use-try-now.ts";
import { words as healthWords } from "../../health/words.ts";
import { Time, useNow } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Tools } from "../../kit/layout/layout.tsx";
import { Card, Facts } from "../../kit/layout/page.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import css from "./integrations.module.css";
import { words } from "./words.ts";

const text = words.health;

export function HealthCard({ integration, provider }: { integration: Integration; provider: Provider }) {
  const may = useMay();
  const now = useNow(true);
  const check = useChange("integrations.update", staleAfterChange);
  const { tryNow, isBusy } = useTryNow();
  const { _id = "", name, channel } = integration;
  const health = integration.health ?? { state: "closed", failures: 0 };
  const { state, lastError, lastSuccessAt, failingSince, waiting = 0, oldestWaitingAt } = health;
  const condition = conditionOf(integration);
  const isInTrouble = condition === "open" || condition === "half_open" || condition === "failing";
  // An outage and its end are watched.
  useOperation("integrations.list", {}, { every: 3_000, enabled: isInTrouble || waiting > 0 });
  const ask = () =>
    check.mutate(
      { params: { integrationId: _id }, body: { check: true } },
      { onSuccess: () => showToast({ title: text.checked }) },
    );
  const age = oldestWaitingAt && formatAge(now - Date.parse(oldestWaitingAt));
  const retry = () => {
    // What the last check found is no longer the news.
    check.reset();
    tryNow(_id, name);
  };
  const canTry = (state !== "closed" || (failingSince && provider.canCheck)) && may("integrations.tryNow");
  return (
    <Card
      title={text.title}
      actions={
        <Tools>
          {integration.active && canTry && (
            <Button size="small" icon="refresh" onClick={retry} disabled={isBusy}>
              {healthWords.outage.tryNow}
            </Button>
          )}
          {provider.canCheck && may("integrations.update") && (
            <Button size="small" icon="key" onClick={ask} disabled={check.isPending}>
              {text.check}
            </Button>
          )}
        </Tools>
      }
    >
      <div className={css.stackSmall}>
        {check.error && <ErrorPanel error={check.error} />}
        <p className={css.health}>
          <Verdict tone={conditionTones[condition]} />
          <strong>{text[condition]}</strong>
          <span className={css.help}>
            {isInTrouble && sayTrouble({ ...health, name }, now)}
            {condition === "unused" && text.unusedText}
            {condition === "closed" && channel === "in_app" && text.inAppText}
            {condition === "closed" && channel !== "in_app" && lastSuccessAt && (
              <>
                {text.answered} <Time at={lastSuccessAt} isRelative />.
              </>
            )}
          </span>
        </p>
        {waiting > 0 && (
          <Notice tone={state === "closed" ? "info" : "warn"} icon="clock">
            {state === "closed"
              ? healthWords.outage.goingOut(countMessages(channel, waiting))
              : healthWords.outage.waitingSince(countMessages(channel, waiting), waiting, age)}
          </Notice>
        )}
        {isInTrouble && (
          <Facts
            of={[
              [
                text.lastError,
                lastError && (
                  <span key="error">
                    {lastError.message} · <Time at={lastError.at} isRelative />
                  </span>
                ),
              ],
              [
                text.since,
                (failingSince ?? health.openedAt) && <Time key="since" at={(failingSince ?? health.openedAt)!} />,
              ],
              [text.nextProbe, state !== "closed" && upperFirst(sayNextTry(health, now).replace(/^next try /, ""))],
              [text.lastSuccess, lastSuccessAt ? <Time key="last" at={lastSuccessAt} isRelative /> : text.never],
            ]}
          />
        )}
        {!provider.canCheck && !provider.isCapture && channel !== "in_app" && (
          <p className={css.help}>{text.noCheck}</p>
        )}
      </div>
    </Card>
  );
}

const upperFirst = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
