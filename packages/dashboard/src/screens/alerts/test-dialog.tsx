// Sends a test message to the targets of a rule, and shows what each said.
import type { AlertRule } from "@tidings/contract";
import { useEffect } from "react";
import { useChange } from "../../api/hooks.ts";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import css from "./alerts.module.css";
import { nameTarget } from "./target-names.ts";
import { words } from "./words.ts";

const text = words.rules;

export function TestDialog({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  const { mutate, data, error } = useChange("alertRules.test");
  const send = () => mutate({ params: { ruleId: rule._id } });
  // biome-ignore lint/correctness/useExhaustiveDependencies: sent once, when the dialog opens
  useEffect(send, []);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.testTitle(rule.name)}
      actions={<Button onClick={onClose}>{text.done}</Button>}
    >
      <Stack>
        {error && <ErrorPanel error={error} onRetry={send} />}
        {!data && !error && <Skeleton rows={rule.targets.length} />}
        {data && (
          <ul className={css.messages} aria-label={text.testTitle(rule.name)}>
            {data.map(({ target, status, detail }) => (
              <li key={nameTarget(target)}>
                <Verdict tone={status === "sent" ? "good" : "bad"} />
                <span>
                  {nameTarget(target)}
                  <span className={css.muted}>{detail}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </Dialog>
  );
}
