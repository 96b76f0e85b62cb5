// Pause, resume and stop: each is exact, so each says what happens to whom.
import type { Broadcast } from "@tidings/contract";
import { useMay } from "../../../api/permissions.ts";
import { Button } from "../../../kit/inputs/button.tsx";
import { useConfirmedChange } from "../../../kit/overlays/use-confirmed-change.ts";
import { words as peopleWords } from "../../../subscribers/people-words.ts";
import { words } from "./words.ts";

const stale = ["broadcasts.retrieve", "broadcasts.list", "broadcasts.retrieveResults"] as const;

/** People who were not started yet; null until they are fixed. */
export const leftOf = ({ progress: { people, started, gone, expired, failed } }: Broadcast): number | null =>
  people === null ? null : Math.max(0, people - started - gone - expired - failed);

export function Controls({ broadcast }: { broadcast: Broadcast }) {
  const { _id, status } = broadcast;
  const may = useMay();
  const pause = useConfirmedChange("broadcasts.pause", stale);
  const resume = useConfirmedChange("broadcasts.resume", stale);
  const stop = useConfirmedChange("broadcasts.stop", stale);
  const isOpen = status === "scheduled" || status === "running" || status === "paused";
  if (!isOpen || !may("broadcasts.stop")) return null;
  const input = { params: { broadcastId: _id } };
  const isBusy = pause.isPending || resume.isPending || stop.isPending;
  const count = leftOf(broadcast);
  const left = count === null ? words.list.all : peopleWords.people(count);
  return (
    <>
      {pause.dialog}
      {resume.dialog}
      {stop.dialog}
      {status === "paused" ? (
        <Button
          icon="play"
          look="primary"
          disabled={isBusy}
          onClick={() =>
            resume.ask(input, {
              title: words.resumeTitle,
              text: count === null ? undefined : words.resumeText(left),
              label: words.resume,
              isAlways: true,
              done: words.resumed,
            })
          }
        >
          {words.resume}
        </Button>
      ) : (
        <Button
          icon="pause"
          disabled={isBusy}
          onClick={() =>
            pause.ask(input, {
              title: words.pauseTitle,
              text: words.pauseText,
              label: words.pause,
              isAlways: true,
              done: words.paused,
            })
          }
        >
          {words.pause}
        </Button>
      )}
      <Button
        icon="stop"
        look="danger"
        disabled={isBusy}
        onClick={() =>
          stop.ask(input, {
            title: words.stopTitle,
            text: words.stopText(left),
            label: words.stop,
            isDanger: true,
            isAlways: true,
            done: words.stopped,
          })
        }
      >
        {words.stop}
      </Button>
    </>
  );
}
