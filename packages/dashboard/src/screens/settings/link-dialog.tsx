// A link that works once and is shown once.

import { Code } from "../../kit/data/code.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { words } from "./words.ts";

type LinkDialogProps = { title: string; text: string; label: string; link: string; onClose: () => void };

export const LinkDialog = ({ title, text, label, link, onClose }: LinkDialogProps) => (
  <Dialog
    isOpen
    onClose={onClose}
    title={title}
    description={text}
    actions={
      <Button look="primary" onClick={onClose}>
        {words.members.done}
      </Button>
    }
  >
    <Code text={link} label={label} />
  </Dialog>
);
