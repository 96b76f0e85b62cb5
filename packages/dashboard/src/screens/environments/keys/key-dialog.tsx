// A key that was just made. It is shown here and nowhere else on this screen.

import { Code } from "../../../kit/data/code.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { keyWords } from "./words.ts";

type KeyDialogProps = { title: string; value: string; onClose: () => void };

export const KeyDialog = ({ title, value, onClose }: KeyDialogProps) => (
  <Dialog
    isOpen
    onClose={onClose}
    title={title}
    description={keyWords.newText}
    actions={
      <Button look="primary" onClick={onClose}>
        {keyWords.done}
      </Button>
    }
  >
    <Code text={value} label={keyWords.newLabel} />
  </Dialog>
);
