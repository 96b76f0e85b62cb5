// The sign of a provider: its first letter in a colour that is always the same for it. Logos of others are not ours to ship.
import css from "./integrations.module.css";

const hues = [172, 212, 262, 312, 12, 38, 92, 142];

const hueOf = (id: string): number => hues[[...id].reduce((sum, sign) => sum + sign.charCodeAt(0), 0) % hues.length]!;

export const ProviderTile = ({ id, name }: { id: string; name: string }) => (
  <span className={css.tile} style={{ "--hue": hueOf(id) } as object} aria-hidden="true">
    {name
      .replace(/[^\p{L}\p{N}]/gu, "")
      .charAt(0)
      .toUpperCase()}
  </span>
);
