// How many messages of each channel the subscriber wants at most. Shown where the environment has a budget for one of
// the channels, and lower limits are possible.

import { useEffect, useState } from "preact/hooks";
import { requestAttention } from "../client/attention.ts";
import type { AttentionLimit, Channel, ChannelAttention, PreferenceChannels } from "../client/types.ts";
import { useUi } from "../ui/ui.ts";
import { useLabels } from "./use-labels.ts";

export function Limits({ channels }: { channels: PreferenceChannels }) {
  const { inbox, attempt } = useUi();
  const labels = useLabels();
  const [all, setAll] = useState<ChannelAttention[]>([]);
  const load = () => requestAttention(inbox).then(setAll, () => {});
  useEffect(() => void load(), [inbox]);
  const change = (channel: Channel, own: AttentionLimit | null) => {
    setAll(all.map((one) => (one.channel === channel ? { ...one, own } : one)));
    attempt(
      requestAttention(inbox, { [channel]: own }).catch((error) => {
        load();
        throw error;
      }),
    );
  };
  const textOf = { hour: labels.perHour, day: labels.perDay, week: labels.perWeek };
  const shown = all.filter(
    ({ channel, offered, choices }) => offered && choices.length > 0 && channels[channel] !== undefined,
  );
  if (shown.length === 0) return null;
  return (
    <section>
      <h3>{labels.limit}</h3>
      <div class="rows">
        {shown.map(({ channel, own, choices }) => (
          <label key={channel} class="row">
            <span>{labels.channels[channel]}</span>
            <select
              value={choices.findIndex(({ limit, unit }) => limit === own?.limit && unit === own.unit)}
              onChange={({ currentTarget: { value } }) => change(channel, choices[+value] ?? null)}
            >
              <option value={-1}>{labels.unlimited}</option>
              {choices.map(({ limit, unit }, index) => (
                <option key={index} value={index}>
                  {textOf[unit](limit)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </section>
  );
}
