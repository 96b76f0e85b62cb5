// How far a broadcast is: the bar, the figures, the rate, and when the next and the last people start.
import type { Broadcast } from "@tidings/contract";
import { Figure } from "../../../kit/data/figure.tsx";
import { Time } from "../../../kit/data/time.tsx";
import { Progress } from "../../../kit/feedback/progress.tsx";
import { Dot } from "../../../kit/feedback/verdict.tsx";
import { Muted, Note, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import type { Tone } from "../../../kit/tone.ts";
import { timeText } from "../moments.ts";
import { leftOf } from "./controls.tsx";
import css from "./run.module.css";
import { words } from "./words.ts";

const say = words.progress;

export function ProgressCard({ broadcast }: { broadcast: Broadcast }) {
  const { status, progress } = broadcast;
  const { people, started, gone, expired, failed, perMinute, nextAt, lastAt } = progress;
  if (people === null)
    return (
      <Card title={say.title}>
        <Stack isSmall>
          <p>{timeText(broadcast)}</p>
          <Muted>{say.waiting}</Muted>
        </Stack>
      </Card>
    );
  const isPaused = status === "paused";
  const isEnded = status === "stopped" || status === "failed";
  const left = leftOf(broadcast) ?? 0;
  const isMoving = !isPaused && !isEnded && left > 0;
  const numbers: [name: string, count: number, tone: Tone][] = [
    [say.started, started, isPaused ? "warn" : "accent"],
    ...(left > 0 ? [[isEnded ? say.never : say.left, left, "quiet"] as [string, number, Tone]] : []),
    ...(gone > 0 ? [[say.gone, gone, "info"] as [string, number, Tone]] : []),
    ...(expired > 0 ? [[say.expired, expired, "bad"] as [string, number, Tone]] : []),
    ...(failed > 0 ? [[say.failed, failed, "bad"] as [string, number, Tone]] : []),
  ];
  return (
    <Card title={say.title}>
      <Stack>
        <div className={css.progressHead} role="status">
          <Figure>{say.sentence(started, people)}</Figure>
          {status === "running" && <Note>{say.rate(perMinute)}</Note>}
        </div>
        <Progress
          label={say.title}
          total={people}
          done={started + gone + expired + failed}
          parts={[
            { tone: isPaused ? "warn" : "accent", count: started },
            { tone: "info", count: gone },
            { tone: "bad", count: expired + failed },
          ]}
        />
        <dl className={css.numbers}>
          {numbers.map(([name, count, tone]) => (
            <div key={name}>
              <dt>
                <Dot tone={tone} />
                {name}
              </dt>
              <dd>{count.toLocaleString()}</dd>
            </div>
          ))}
          {nextAt && isMoving && (
            <div>
              <dt>{say.next}</dt>
              <dd>
                <Time at={nextAt} />
              </dd>
            </div>
          )}
          {lastAt && isMoving && (
            <div>
              <dt>{say.last}</dt>
              <dd>
                <Time at={lastAt} />
              </dd>
            </div>
          )}
        </dl>
      </Stack>
    </Card>
  );
}
