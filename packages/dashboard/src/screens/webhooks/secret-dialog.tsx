// A secret that is shown once.

import { Code } from "../../kit/data/code.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { words } from "./words.ts";

const text = words.secret;

type SecretDialogProps = { secret: string; isRotated?: boolean; onClose: () => void };

export const SecretDialog = ({ secret, isRotated, onClose }: SecretDialogProps) => (
  <Dialog
    isOpen
    onClose={onClose}
    title={text.title}
    description={isRotated ? `${text.text} ${text.rotatedText}` : text.text}
    actions={
      <Button look="primary" onClick={onClose}>
        {text.done}
      </Button>
    }
  >
    <Code text={secret} label={text.label} />
  </Dialog>
);
