// Preferences: channels for everything, channels by type of notification, this browser, limits, and quiet hours.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { CategoryPreference, Channel, DigestFrequency, Preference } from "../client/types.ts";
import { Icon } from "../ui/icons.tsx";
import { useUi } from "../ui/ui.ts";
import { adoptStyle } from "./adopt.ts";
import { BrowserPush } from "./browser-push.tsx";
import { groupByTag } from "./groups.ts";
import { Limits } from "./limits.tsx";
import { ScheduleForm } from "./schedule.tsx";
import { Switch } from "./switch.tsx";
import { useLabels } from "./use-labels.ts";

const channelOrder: Channel[] = ["in_app", "email", "push", "sms", "chat"];

export function PreferencesView({ preferences }: { preferences: Preference[] }) {
  const labels = useLabels();
  const { categories = [] } = useUi().inbox.getState();
  const [global, ...workflows] = preferences;
  const hasChannels = Object.keys(global?.channels ?? {}).length > 0;
  const others = workflows.filter(({ categoryId }) => !categories.some((one) => one.categoryId === categoryId));
  const groups = groupByTag(others);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => adoptStyle(place.current!));
  return (
    <div ref={place} class="scroller preferences" part="preferences" tabIndex={-1}>
      {global && hasChannels && (
        <section>
          <h3>{labels.everything}</h3>
          <p>{labels.everythingText}</p>
          <Channels entry={global} name={labels.everything} />
        </section>
      )}
      {categories.map((category) => (
        <CategorySection
          key={category.categoryId}
          category={category}
          entries={workflows.filter(({ categoryId }) => categoryId === category.categoryId)}
        />
      ))}
      {others.length > 0 && (
        <section>
          <h3>{categories.length > 0 ? labels.otherTypes : labels.byType}</h3>
          {groups.map(({ tag, entries }) => (
            <div key={tag ?? ""} class="group">
              {groups.length > 1 && <h4>{tag ? tag[0]!.toUpperCase() + tag.slice(1) : labels.otherTypes}</h4>}
              {entries.map((entry) => (
                <WorkflowChoice key={entry.workflow?.id} entry={entry} />
              ))}
            </div>
          ))}
        </section>
      )}
      {global?.channels.push !== undefined && <BrowserPush />}
      {global && <Limits channels={global.channels} />}
      <ScheduleForm schedule={global?.schedule ?? { isEnabled: false }} timezone={global?.timezone} />
    </div>
  );
}

/** A category with its description, its channels, and its workflows below. */
function CategorySection({ category, entries }: { category: CategoryPreference; entries: Preference[] }) {
  const labels = useLabels();
  const { inbox, attempt } = useUi();
  const { categoryId, name, description, required } = category;
  return (
    <section>
      <h3>{name}</h3>
      {description !== "" && <p>{description}</p>}
      {required ? (
        <p>{labels.required}</p>
      ) : (
        <fieldset class="rows" aria-label={name}>
          {channelsOf(category).map((channel) => (
            <Switch
              key={channel}
              label={labels.channels[channel]}
              isOn={category.channels[channel] ?? false}
              isFixed={false}
              onChange={(isOn) => attempt(inbox.updateCategoryPreference(categoryId, { [channel]: isOn }))}
            />
          ))}
        </fieldset>
      )}
      {entries.map((entry) => (
        <WorkflowChoice key={entry.workflow?.id} entry={entry} />
      ))}
    </section>
  );
}

function WorkflowChoice({ entry }: { entry: Preference }) {
  const labels = useLabels();
  return (
    <details>
      <summary>
        <span>{entry.workflow?.name}</span>
        <small>{summaryOf(entry, labels.channels) || labels.nothing}</small>
        <Icon name="down" />
      </summary>
      <Channels entry={entry} name={entry.workflow?.name ?? ""} />
    </details>
  );
}

const channelsOf = ({ channels }: Pick<Preference, "channels">): Channel[] =>
  channelOrder.filter((name) => channels[name] !== undefined);

const summaryOf = (entry: Preference, names: Record<Channel, string>): string =>
  channelsOf(entry)
    .filter((name) => entry.channels[name])
    .map((name) => names[name])
    .join(", ");

function Channels({ entry, name }: { entry: Preference; name: string }) {
  const { inbox, attempt } = useUi();
  const labels = useLabels();
  const workflowId = entry.workflow?.id ?? null;
  return (
    <fieldset class="rows" aria-label={name}>
      {channelsOf(entry).map((channel) => (
        <Switch
          key={channel}
          label={labels.channels[channel]}
          isOn={entry.channels[channel] ?? false}
          isFixed={entry.workflow?.critical ?? false}
          onChange={(isOn) => attempt(inbox.updatePreference(workflowId, { [channel]: isOn }))}
        />
      ))}
      {entry.digestFrequencies && <Frequency entry={entry} />}
    </fieldset>
  );
}

/** How often the digest of a workflow is sent; the first option leaves it to the workflow. */
function Frequency({ entry: { workflow, digestFrequency, digestFrequencies } }: { entry: Preference }) {
  const { inbox, attempt } = useUi();
  const labels = useLabels();
  return (
    <label class="row">
      <span>{labels.often}</span>
      <select
        value={digestFrequency ?? ""}
        disabled={workflow?.critical}
        onChange={({ currentTarget: { value } }) =>
          attempt(inbox.updateDigestFrequency(workflow!.id, (value as DigestFrequency) || null))
        }
      >
        <option value="">{labels.usual}</option>
        {digestFrequencies?.map((one) => (
          <option key={one} value={one}>
            {labels[one]}
          </option>
        ))}
      </select>
    </label>
  );
}
