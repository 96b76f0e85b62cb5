// The circuit breaker of an integration in plain words, and a question to the provider itself.
import type { Integration, Provider } from "@tidings/contract";
import { useChange } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { Button } from "../../kit/button.tsx";
import { Card, Facts } from "../../kit/page.tsx";
import { ErrorPanel } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { showToast } from "../../kit/toast.tsx";
import { Verdict } from "../../kit/verdict.tsx";
import { type Health, healthTones } from "./health.tsx";
import css from "./integrations.module.css";
import { staleAfterChange } from "./use-integration-changes.ts";
import { words } from "./words.ts";

export function HealthCard({ integration, provider }: { integration: Integration; provider: Provider }) {
  const may = useMay();
  const check = useChange("integrations.update", staleAfterChange);
  const { _id = "", active } = integration;
  const health: Health = integration.health ?? { state: "closed", failures: 0 };
  const { state, failures, openedAt, nextProbeAt } = health;
  const ask = () =>
    check.mutate(
      { params: { integrationId: _id }, body: { check: true } },
      { onSuccess: () => showToast({ title: words.health.checked }) },
    );
  const text =
    state === "open"
      ? words.health.openText
      : state === "half_open"
        ? words.health.halfOpenText
        : failures > 0
          ? words.health.failingText(failures)
          : words.health.closedText;
  return (
    <Card
      title={words.health.title}
      actions={
        provider.canCheck &&
        may("integrations.update") && (
          <Button size="small" icon="key" onClick={ask} disabled={check.isPending}>
            {words.health.check}
          </Button>
        )
      }
    >
      <div className={css.stackSmall}>
        {check.error && <ErrorPanel error={check.error} />}
        <p className={css.health}>
          <Verdict tone={active ? healthTones[state] : "quiet"} />
          <strong>{active ? words.health[state] : words.off}</strong>
          <span className={css.help}>{active && text}</span>
        </p>
        {state !== "closed" && (
          <Facts
            of={[
              [words.health.since, openedAt && <Time key="since" at={openedAt} isRelative />],
              [
                words.health.nextProbe,
                nextProbeAt && Date.parse(nextProbeAt) > Date.now() ? (
                  <Time key="next" at={nextProbeAt} isRelative />
                ) : (
                  words.health.withNext
                ),
              ],
            ]}
          />
        )}
        {!provider.canCheck && !provider.isCapture && provider.channel !== "in_app" && (
          <p className={css.help}>{words.health.noCheck}</p>
        )}
      </div>
    </Card>
  );
}
