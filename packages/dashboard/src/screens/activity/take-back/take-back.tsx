// "Take back" on an event, and the line that says that it was taken back. The dialog is loaded when it is opened.
import { lazy, Suspense, useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { Time } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { words } from "./words.ts";

const TakeBackDialog = lazy(() =>
  import("./take-back-dialog.tsx").then((module) => ({ default: module.TakeBackDialog })),
);

/** The retraction of the whole event, if there is one. */
function useRetraction(transactionId: string) {
  const input = { query: { transactionId } };
  const first = useOperation("retractions.list", input);
  const isRunning = first.data?.data.some(({ status }) => status === "running") ?? false;
  // The same response, asked for again while it changes.
  const { data } = useOperation("retractions.list", input, isRunning ? { every: 2_000 } : {});
  return { isKnown: data !== undefined, retraction: data?.data.find(({ to }) => to === null) };
}

export function TakeBackButton({ transactionId }: { transactionId: string }) {
  const may = useMay();
  const { isKnown, retraction } = useRetraction(transactionId);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {isKnown && !retraction && may("retractions.create") && (
        <Button icon="undo" onClick={() => setOpen(true)}>
          {words.action}
        </Button>
      )}
      {/* Stays after the event is taken back, and shows how far it is. */}
      {isOpen && (
        <Suspense>
          <TakeBackDialog transactionId={transactionId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

export function TakenBack({ transactionId }: { transactionId: string }) {
  const { retraction } = useRetraction(transactionId);
  const [isOpen, setOpen] = useState(false);
  if (!retraction) return null;
  const isRunning = retraction.status === "running";
  return (
    <>
      <Notice
        tone="warn"
        icon="undo"
        action={
          <Button size="small" onClick={() => setOpen(true)}>
            {isRunning ? words.showProgress : words.show}
          </Button>
        }
      >
        {isRunning ? words.isTakingBack : words.isTakenBack} {words.why(retraction.reason)}{" "}
        <Time at={retraction.createdAt} />
      </Notice>
      {isOpen && (
        <Suspense>
          <TakeBackDialog transactionId={transactionId} retraction={retraction} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
