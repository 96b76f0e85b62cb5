// The sign of a provider: its first letter in a colour that is always the same for it. Logos of others are not ours to
// ship. What Tidings does itself has the icon of its channel.
import type { Channel, Provider } from "@tidings/contract";
import { Icon, type IconName } from "../../icons.tsx";
import css from "./integrations.module.css";

const hues = [172, 212, 262, 312, 12, 38, 92, 142];

const hueOf = (id: string): number => hues[[...id].reduce((sum, sign) => sum + sign.charCodeAt(0), 0) % hues.length]!;

const channelIcons: Record<Channel, IconName> = {
  in_app: "bell",
  email: "mail",
  sms: "message",
  chat: "hash",
  push: "smartphone",
};

type TileProps = { id: string; name: string; channel: Channel; isOurs?: boolean };

export const ProviderTile = ({ id, name, channel, isOurs = channel === "in_app" }: TileProps) => (
  <span className={css.tile} data-ours={isOurs} style={{ "--hue": hueOf(id) } as object} aria-hidden="true">
    {isOurs ? (
      <Icon name={channelIcons[channel]} />
    ) : (
      name
        .replace(/[^\p{L}\p{N}]/gu, "")
        .charAt(0)
        .toUpperCase()
    )}
  </span>
);

export const tileOf = ({ id, name, channel, isCapture }: Provider): TileProps => ({
  id,
  name,
  channel,
  isOurs: isCapture || channel === "in_app",
});
