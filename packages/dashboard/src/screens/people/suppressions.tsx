// Addresses of the person that nothing is sent to any more, with a way back.
import type { Subscriber, Suppression } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { Button } from "../../kit/button.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { Notice } from "../../kit/notice.tsx";
import { formatDay } from "../../kit/time.tsx";
import { showError, showToast } from "../../kit/toast.tsx";
import { words } from "./words.ts";

const text = words.profile;

export function Suppressions({ person: { email, phone } }: { person: Subscriber }) {
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
