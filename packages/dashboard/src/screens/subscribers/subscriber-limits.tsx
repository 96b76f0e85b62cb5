// How many messages a subscriber wants at most, for the channels that the environment has an attention budget for.

import type { Channel, ChannelAttention, OwnLimit } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import { channelNames } from "../../outcomes/channel-names.ts";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const text = words.limits;
/** No limit is chosen. */
const none = "none";

const keyOf = (limit: OwnLimit | null): string => (limit ? `${limit.limit} ${limit.unit}` : none);

export function SubscriberLimits({ subscriberId }: { subscriberId: string }) {
  const params = { subscriberId };
  const { data, error, refetch } = useOperation("subscribers.retrieveAttention", { params });
  const update = useConfirmedChange("subscribers.updateAttention", ["subscribers.retrieveAttention"]);
  const mayChange = useMay()("subscribers.updateAttention");
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data || data.channels.length === 0) return null;
  const choose = ({ channel, choices }: ChannelAttention, chosen: string) => {
    const limit = choices.find((one) => keyOf(one) === chosen) ?? null;
    const channels: Partial<Record<Channel, OwnLimit | null>> = { [channel]: limit };
    const { changeTitle: title, change: label } = words.preferences;
    update.ask({ params, body: { channels } }, { title, label });
  };
  return (
    <>
      {update.dialog}
      <p className={css.muted}>{text.text}</p>
      <section className={css.matrix} aria-label={text.title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.channel}</th>
              <th scope="col">{text.own}</th>
            </tr>
          </thead>
          <tbody>
            {data.channels.map((one) => (
              <tr key={one.channel}>
                <th scope="row">
                  {channelNames[one.channel]}
                  <span className={css.faint}>
                    {one.offered ? text.environment(one.environment.map(text.budget)) : text.withoutEffect}
                  </span>
                </th>
                <td>
                  <Select
                    name={text.ownOf(channelNames[one.channel])}
                    isWide
                    value={keyOf(one.own)}
                    choices={[
                      { value: none, label: text.none },
                      ...one.choices.map((limit) => ({ value: keyOf(limit), label: text.limit(limit) })),
                    ]}
                    disabled={!mayChange || update.isPending}
                    onChange={(chosen) => choose(one, chosen)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
