// The switch "Notify me in this browser". It is shown only where it can work: the page names a worker (attribute
// `worker`), the browser has push, and the environment has the keys.

import { useEffect, useRef, useState } from "preact/hooks";
import { canPush, type PushState, readPush, startPush, stopPush } from "../push/push.ts";
import { hostOf } from "../ui/sanitize.ts";
import { useUi } from "../ui/ui.ts";
import { Switch } from "./switch.tsx";
import { useLabels } from "./use-labels.ts";

export function BrowserPush() {
  const { inbox } = useUi();
  const labels = useLabels();
  const place = useRef<HTMLElement>(null);
  const worker = useRef<string | null>(null);
  const [state, setState] = useState<PushState>("none");
  const [isBusy, setBusy] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    worker.current = hostOf(place.current!)?.getAttribute("worker") ?? null;
    if (worker.current && canPush()) readPush(inbox, worker.current).then(setState, () => {});
  }, [inbox]);
  const change = async (isOn: boolean) => {
    setBusy(true);
    setFailed(false);
    try {
      setState(await (isOn ? startPush : stopPush)(inbox, worker.current!));
    } catch {
      setFailed(true);
      await readPush(inbox, worker.current!).then(setState, () => {});
    }
    setBusy(false);
  };
  const words = { denied: labels.browserDenied, dismissed: labels.browserDismissed };
  const note = hasFailed ? labels.browserFailed : state === "denied" || state === "dismissed" ? words[state] : null;
  return (
    <section ref={place} hidden={state === "none"}>
      <h3>{labels.browser}</h3>
      <p>{labels.browserText}</p>
      <div class="rows">
        <Switch label={labels.browserSwitch} isOn={state === "on"} isFixed={isBusy} onChange={change} />
      </div>
      <p role="status">{note}</p>
    </section>
  );
}
