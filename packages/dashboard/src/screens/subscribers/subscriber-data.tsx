// A person's data: a download of all of it, and its erasure, which ends with a receipt.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Erasure, Subscriber } from "@tidings/contract";
import { useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { callOperation, downloadFile, saveFile } from "../../api/client.ts";
import { useChange } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Progress } from "../../kit/feedback/progress.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const text = words.personalData;
const everyMs = 700;

export function PersonalData({ subscriber: { subscriberId } }: { subscriber: Subscriber }) {
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const [isLoading, setLoading] = useState(false);
  if (!may("exports.person") && !may("subscribers.erase")) return null;
  const download = () => {
    setLoading(true);
    downloadFile(`v2/subscribers/${encodeURIComponent(subscriberId)}/export`, {}, `${subscriberId}.zip`, "POST")
      .catch(showError)
      .finally(() => setLoading(false));
  };
  return (
    <Card>
      <div className={css.danger}>
        <div>
          <h2>{text.title}</h2>
          <p className={css.muted}>{text.text}</p>
        </div>
        <div className={css.actions}>
          {may("exports.person") && (
            <Button icon="download" onClick={download} disabled={isLoading}>
              {text.export}
            </Button>
          )}
          {may("subscribers.erase") && (
            <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
              {text.erase}
            </Button>
          )}
        </div>
      </div>
      {isAsking && <EraseDialog subscriberId={subscriberId} onClose={() => setAsking(false)} />}
    </Card>
  );
}

function EraseDialog({ subscriberId, onClose }: { subscriberId: string; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const erase = useChange("subscribers.erase");
  if (erase.data) return <ErasureDialog started={erase.data} />;
  return (
    <FormDialog
      onClose={onClose}
      title={text.eraseTitle}
      description={text.eraseText}
      submit={text.eraseAction}
      isDanger
      isDisabled={typed.trim() !== subscriberId || erase.isPending}
      error={erase.error}
      onSubmit={() => erase.mutate({ params: { subscriberId }, body: {} })}
    >
      <TextField
        label={text.typeId(subscriberId)}
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setTyped(target.value)}
      />
    </FormDialog>
  );
}

/** Closing it leaves the page of the person, who no longer exists. */
function ErasureDialog({ started }: { started: Erasure }) {
  const { _id } = useEnvironment();
  const navigate = useNavigate();
  const { data: erasure = started } = useQuery<Erasure, ApiError>({
    queryKey: [_id, "erasures.retrieve", started.id],
    queryFn: ({ signal }) => callOperation("erasures.retrieve", { params: { erasureId: started.id }, signal }, _id),
    refetchInterval: ({ state: { data } }) => (data?.status === "completed" ? false : everyMs),
  });
  const { progress, receipt, signedReceipt } = erasure;
  const save = () => {
    const content = JSON.stringify({ receipt, signedReceipt }, null, 2);
    saveFile(new Blob([content], { type: "application/json" }), `${erasure.pseudonym}.json`);
  };
  const close = () => void navigate({ to: "/subscribers" });
  return (
    <Dialog
      isOpen
      onClose={close}
      title={receipt ? text.erasedTitle : text.erasingTitle}
      description={receipt ? text.erasedText(erasure.pseudonym) : text.erasingText}
      actions={
        <>
          {receipt && (
            <Button icon="download" onClick={save}>
              {text.saveReceipt}
            </Button>
          )}
          <Button look="primary" onClick={close}>
            {text.close}
          </Button>
        </>
      }
    >
      {receipt ? (
        <Receipt receipt={receipt} />
      ) : (
        <Progress
          label={text.rows(progress.rows)}
          total={2 * progress.steps}
          done={stepsDone(progress)}
          parts={[{ tone: "good", count: stepsDone(progress) }]}
        />
      )}
    </Dialog>
  );
}

/** Both passes go through the same steps. */
const stepsDone = ({ pass, steps, done }: Erasure["progress"]): number => (pass - 1) * steps + done;

function Receipt({ receipt }: { receipt: NonNullable<Erasure["receipt"]> }) {
  return (
    <>
      <h3>{text.tables}</h3>
      <ul className={css.receipt}>
        {receipt.tables
          .filter(({ rows }) => rows > 0)
          .map(({ table, what, rows }) => (
            <li key={table}>
              {text.row(rows)} <code>{table}</code>: {what}
            </li>
          ))}
      </ul>
      <h3>{text.remains}</h3>
      <ul className={css.receipt}>
        {receipt.remains.map(({ what, why }) => (
          <li key={what}>{why}</li>
        ))}
      </ul>
    </>
  );
}
