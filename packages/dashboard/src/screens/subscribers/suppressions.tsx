// The subscriber's addresses that no longer receive anything, with a way to restore them.
import type { Subscriber, Suppression } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { formatDay } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { words } from "./words.ts";

const text = words.profile;

export function Suppressions({ subscriber: { email, phone } }: { subscriber: Subscriber }) {
  const mail = useOperation(
    "suppressions.list",
    { query: { channel: "email", address: email, limit: 1 } },
    { enabled: Boolean(email) },
  );
  const sms = useOperation(
    "suppressions.list",
    { query: { channel: "sms", address: phone, limit: 1 } },
    { enabled: Boolean(phone) },
  );
  const lift = useChange("suppressions.delete", ["suppressions.list"]);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const found: Suppression[] = [...(mail.data?.data ?? []), ...(sms.data?.data ?? [])];
  const labelOf = ({ channel }: Suppression) => (channel === "sms" ? text.liftNumber : text.lift);
  const ask = (one: Suppression) =>
    confirm({ title: text.liftTitle, label: labelOf(one) }, () =>
      lift.mutate(
        { params: { suppressionId: one.id } },
        { onError: showError, onSuccess: () => showToast({ title: text.lifted }) },
      ),
    );
  return (
    <>
      {dialog}
      {found.map((one) => (
        <Notice
          key={one.id}
          tone="warn"
          action={
            may("suppressions.delete") && (
              <Button size="small" onClick={() => ask(one)} disabled={lift.isPending}>
                {labelOf(one)}
              </Button>
            )
          }
        >
          {text.suppressed(one.address, `${text.reasons[one.reason]} on ${formatDay(one.createdAt)}`)}
        </Notice>
      ))}
    </>
  );
}
