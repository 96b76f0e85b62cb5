// The test clock: what time it is, what waits, and moving on to it.
import { SaveScenario } from "../../app/save-scenario.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { ClockCard } from "./clock-card.tsx";
import { ClockTimeline } from "./clock-timeline.tsx";
import { useClock } from "./use-clock.ts";
import { words } from "./words.ts";

const monthMs = 31 * 86_400_000;

/** What happened in the environment, up to its present. */
const lastMonth = (now: string) => ({ from: new Date(Date.parse(now) - monthMs).toISOString(), to: now });

export function ClockScreen() {
  const clock = useClock();
  const { timeline, error, refetch } = clock;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      isNarrow
      actions={timeline?.clock.isTestClock && <SaveScenario name="scenario" query={lastMonth(timeline.clock.now)} />}
    >
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!timeline && !error && <Skeleton />}
      {timeline && (
        <>
          <ClockCard clock={clock} timeline={timeline} />
          <ClockTimeline clock={clock} timeline={timeline} />
        </>
      )}
    </Page>
  );
}
