// A link that works once and is shown once.
import { Button } from "../../kit/button.tsx";
import { Code } from "../../kit/code.tsx";
import { Dialog } from "../../kit/dialog.tsx";
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
        {words.people.done}
      </Button>
    }
  >
    <Code text={link} label={label} />
  </Dialog>
);
