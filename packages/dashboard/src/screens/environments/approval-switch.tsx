// Whether another person approves the broadcasts of an environment. Owners decide.
import type { Environment } from "../../api/auth.ts";
import { useOperation } from "../../api/hooks.ts";
import { useSession } from "../../api/session.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { Muted } from "../../kit/layout/layout.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import css from "./environments.module.css";
import { words } from "./words.ts";

const say = words.approval;

export function ApprovalSwitch({ environment }: { environment: Environment }) {
  const { _id: environmentId, name } = environment;
  const isOwner = useSession().person.role === "owner";
  const { data } = useOperation("environments.list", {}, { environmentId });
  const update = useConfirmedChange("environments.update", ["environments.list"], environmentId);
  const isOn = data?.find(({ _id }) => _id === environmentId)?.broadcastApproval === true;
  if (!data || (!isOwner && !isOn)) return null;
  const change = (next: boolean) =>
    update.ask(
      { params: { environmentId }, body: { broadcastApproval: next } },
      {
        title: next ? say.onTitle(name) : say.offTitle(name),
        text: say.text,
        label: next ? say.on : say.off,
        environment,
        done: say.done[next ? "on" : "off"],
      },
    );
  return (
    <div className={css.approval}>
      {update.dialog}
      <Switch
        label={say.labelOf(name)}
        checked={isOn}
        disabled={!isOwner || update.isPending}
        onChange={({ target }) => change(target.checked)}
      />
      <div>
        <strong>{say.label}</strong>
        <Muted>{say.text}</Muted>
      </div>
    </div>
  );
}
