// What a subscriber wants to receive: one row per workflow, one column per channel, and under each switch the level
// that decided.

import { Link } from "@tanstack/react-router";
import type { Channel, DigestFrequency, SubscriberWorkflowPreference } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { Notice } from "../../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { channelNames, frequencyNames } from "../../outcomes/channel-names.ts";
import { words as kitWords } from "../../words.ts";
import { SubscriberLimits } from "./subscriber-limits.tsx";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const order: Channel[] = ["in_app", "email", "sms", "push", "chat"];
const text = words.preferences;
/** No frequency is chosen. */
const usual = "usual";

export function SubscriberPreferences({ subscriberId, name }: { subscriberId: string; name: string }) {
  const params = { subscriberId };
  const own = useOperation("subscribers.retrievePreferences", { params, query: { criticality: "nonCritical" } });
  const critical = useOperation("subscribers.retrievePreferences", { params, query: { criticality: "critical" } });
  const update = useChange("subscribers.updatePreferences", ["subscribers.retrievePreferences"]);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const mayChange = may("subscribers.updatePreferences");
  const error = own.error ?? critical.error;
  if (error) return <ErrorPanel error={error} onRetry={own.refetch} />;
  if (!own.data || !critical.data) return <Skeleton />;
  const { global, workflows, categories = [] } = own.data;
  const chosenCategories = new Set<string | undefined>(
    categories.filter(({ updatedAt }) => updatedAt !== undefined).map(({ categoryId }) => categoryId),
  );
  const channels = order.filter((channel) => channel in global.channels);
  if (channels.length === 0) return <EmptyState icon="workflow" title={text.none} text={text.noneText} />;
  const choose = (channel: Channel, isOn: boolean, target: { workflowId?: string; categoryId?: string } = {}) =>
    confirm({ title: text.changeTitle, label: text.change }, () =>
      update.mutate({ params, body: { channels: { [channel]: isOn }, ...target } }, { onError: showError }),
    );
  const chooseFrequency = (workflowId: string, chosen: DigestFrequency | typeof usual) =>
    confirm({ title: text.changeTitle, label: text.change }, () => {
      const digestFrequency = chosen === usual ? null : chosen;
      update.mutate({ params, body: { workflowId, digestFrequency } }, { onError: showError });
    });
  const isDisabled = !mayChange || update.isPending;
  return (
    <div className={css.stack}>
      {dialog}
      <p className={css.muted}>{text.text(name)}</p>
      {!mayChange && <Notice icon="key">{kitWords.needsRole(requiredRole("subscribers.updatePreferences"))}</Notice>}
      <section className={css.matrix} aria-label={text.title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.workflow}</th>
              {channels.map((channel) => (
                <th key={channel} scope="col">
                  {channelNames[channel]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className={css.globalRow}>
              <th scope="row">
                {text.global}
                <span className={css.faint}>{text.globalNote}</span>
              </th>
              {channels.map((channel) => (
                <td key={channel}>
                  <Switch
                    label={text.label(channelNames[channel], text.global)}
                    checked={global.channels[channel] === true}
                    disabled={isDisabled}
                    onChange={({ target }) => choose(channel, target.checked)}
                  />
                </td>
              ))}
            </tr>
            {categories.map(({ categoryId, name: categoryName, description, required, channels: on }) => (
              <tr key={`category ${categoryId}`} className={css.globalRow}>
                <th scope="row">
                  <span>
                    {categoryName} <Badge>{text.category}</Badge>{" "}
                    {required && (
                      <span title={text.requiredNote}>
                        <Badge tone="info">{text.required}</Badge>
                      </span>
                    )}
                  </span>
                  <span className={css.faint}>{description}</span>
                </th>
                {channels.map((channel) => (
                  <td key={channel}>
                    {on[channel] === undefined ? (
                      <span className={css.absent} title={text.absent}>
                        {words.nothing}
                      </span>
                    ) : (
                      <Switch
                        label={text.label(channelNames[channel], categoryName)}
                        checked={on[channel] === true}
                        disabled={isDisabled || required}
                        onChange={({ target }) => choose(channel, target.checked, { categoryId })}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
            {[...workflows, ...critical.data.workflows].map((item) => {
              const isCritical = critical.data.workflows.includes(item);
              return (
                <tr key={item.workflow.identifier}>
                  <th scope="row">
                    <span>
                      <Link to="/workflows/$workflowId" params={{ workflowId: item.workflow.identifier }}>
                        {item.workflow.name}
                      </Link>{" "}
                      {isCritical && (
                        <span title={text.criticalNote}>
                          <Badge tone="info">{text.critical}</Badge>
                        </span>
                      )}
                    </span>
                    {item.digestFrequencies && (
                      <span className={css.often}>
                        {text.frequency}
                        <Select
                          name={text.frequencyOf(item.workflow.name)}
                          isWide
                          value={item.digestFrequency ?? usual}
                          choices={[
                            { value: usual, label: text.usual },
                            ...item.digestFrequencies.map((value) => ({ value, label: frequencyNames[value] })),
                          ]}
                          disabled={isDisabled || isCritical}
                          onChange={(chosen) => chooseFrequency(item.workflow.identifier, chosen)}
                        />
                      </span>
                    )}
                  </th>
                  {channels.map((channel) => (
                    <td key={channel}>
                      {item.channels[channel] === undefined ? (
                        <span className={css.absent} title={text.absent}>
                          {words.nothing}
                        </span>
                      ) : (
                        <span className={css.choice}>
                          <Switch
                            label={text.label(channelNames[channel], item.workflow.name)}
                            checked={item.channels[channel] === true}
                            disabled={isDisabled || isCritical}
                            onChange={({ target }) =>
                              choose(channel, target.checked, { workflowId: item.workflow.identifier })
                            }
                          />
                          <span
                            className={css.layer}
                            data-own={
                              layerOf(item, channel, isCritical, chosenCategories.has(item.categoryId)) === "workflow"
                            }
                          >
                            {text.layers[layerOf(item, channel, isCritical, chosenCategories.has(item.categoryId))]}
                          </span>
                        </span>
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      <SubscriberLimits subscriberId={subscriberId} />
    </div>
  );
}

/**
 * The level that decided a cell. A choice of the subscriber is one for everything unless it has made one for this
 * workflow or for its category.
 */
function layerOf(
  { overrides, updatedAt }: SubscriberWorkflowPreference,
  channel: Channel,
  isCritical: boolean,
  hasCategoryChoice: boolean,
): keyof typeof text.layers {
  if (isCritical) return "critical";
  const source = overrides.find((one) => one.channel === channel)?.source;
  if (source === undefined) return "none";
  if (source === "subscriber" && updatedAt === undefined) return hasCategoryChoice ? "category" : "global";
  if (source === "subscriber") return "workflow";
  return source === "template" ? "template" : "scoped";
}
