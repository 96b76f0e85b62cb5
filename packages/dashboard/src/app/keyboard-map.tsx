// The keys of the dashboard, shown with `?`.
import { Button } from "../kit/inputs/button.tsx";
import { DialogEnd } from "../kit/layout/layout.tsx";
import { Dialog } from "../kit/overlays/dialog.tsx";
import { words } from "../words.ts";
import css from "./keyboard-map.module.css";

const say = words.keyboard;

export const KeyboardMap = ({ onClose }: { onClose: () => void }) => (
  <Dialog isOpen onClose={onClose} title={say.title} description={say.text}>
    {say.groups.map(({ name, keys }) => (
      <section key={name} className={css.group}>
        <h3>{name}</h3>
        <dl>
          {keys.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
    <DialogEnd>
      <Button onClick={onClose}>{words.close}</Button>
    </DialogEnd>
  </Dialog>
);
