// A backtest without a change: it shows how far the replay matches what happened.
import { useNavigate } from "@tanstack/react-router";
import { StartBacktest } from "../../backtests/start-backtest.tsx";
import { words } from "../../backtests/words.ts";
import { Button } from "../../kit/inputs/button.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { words as kitWords } from "../../words.ts";

const say = words.list;

export function CalibrateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const show = (backtestId: string) => {
    onClose();
    void navigate({ to: "/backtests/$backtestId", params: { backtestId }, search: {} });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={say.calibrateTitle}
      description={say.calibrateText}
      actions={<Button onClick={onClose}>{kitWords.cancel}</Button>}
    >
      <StartBacktest
        change={() => ({ change: {} })}
        label={say.calibrateRun}
        isPrimary
        onStarted={({ _id }) => show(_id)}
        onShow={show}
      />
    </Dialog>
  );
}
