// A key that was just made. It is shown here and nowhere else on this screen.
import { Button } from "../../kit/button.tsx";
import { Code } from "../../kit/code.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { words } from "./words.ts";

type KeyDialogProps = { title: string; value: string; onClose: () => void };

export const KeyDialog = ({ title, value, onClose }: KeyDialogProps) => (
  <Dialog
    isOpen
    onClose={onClose}
    title={title}
    description={words.keys.newText}
    actions={
      <Button look="primary" onClick={onClose}>
        {words.keys.done}
      </Button>
    }
  >
    <Code text={value} label={words.keys.newLabel} />
  </Dialog>
);
