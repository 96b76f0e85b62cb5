// Attachments of a mail. Their bytes are read when they are asked for.
import type { CapturedMessage } from "@tidings/contract";
import { useState } from "react";
import { callOperation } from "../../api/client.ts";
import { useEnvironment } from "../../api/session.tsx";
import { formatBytes, saveFile } from "../../kit/files.ts";
import { Button } from "../../kit/inputs/button.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import css from "./mailbox.module.css";
import { words } from "./words.ts";

type AttachmentsProps = { messageId: string; files: NonNullable<CapturedMessage["attachments"]> };

export function Attachments({ messageId, files }: AttachmentsProps) {
  const { _id } = useEnvironment();
  const [busy, setBusy] = useState<number | null>(null);
  const download = async (index: number) => {
    setBusy(index);
    try {
      const params = { id: messageId, index: String(index) };
      const { name, content } = await callOperation("captured.retrieveAttachment", { params }, _id);
      saveFile(name, bytesOf(content));
    } catch (error) {
      showError(error);
    } finally {
      setBusy(null);
    }
  };
  return (
    <ul className={css.files} aria-label={words.attachments}>
      {files.map(({ name, mime, size }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message's attachments keep their places, and names may repeat
        <li key={`${index} ${name}`}>
          <Button
            size="small"
            icon="download"
            title={words.download(mime)}
            disabled={busy !== null}
            onClick={() => void download(index)}
          >
            <span className={css.fileName}>{name}</span>
            <span className={css.weak}>{formatBytes(size)}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
