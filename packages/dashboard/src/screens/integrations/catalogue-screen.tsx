// All providers, to choose one for a new integration.

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { Channel, Provider } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { Icon } from "../../icons.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { SearchField } from "../../kit/inputs/field.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import css from "./integrations.module.css";
import { ProviderTile, tileOf } from "./provider-tile.tsx";
import { words } from "./words.ts";

const catalogueRoute = getRouteApi("/shell/integrations/new");

const channels: Channel[] = ["email", "sms", "push", "chat", "in_app"];

export function CatalogueScreen() {
  const { q = "", channel } = catalogueRoute.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useOperation("providers.list", { query: {} }, { staleTime: 3_600_000 });
  const show = (search: { q?: string; channel?: Channel }) =>
    void navigate({ to: "/integrations/new", search: (before) => ({ env: before.env, ...search }), replace: true });
  const found = data?.filter((provider) => isFound(provider, q, channel));
  const chips: [label: string, value: Channel | undefined][] = [
    [words.all, undefined],
    ...channels.map((value): [string, Channel] => [channelNames[value], value]),
  ];
  return (
    <Page
      title={words.catalogue}
      lead={data && words.catalogueLead(data.length)}
      back={{ to: "/integrations", label: words.back }}
    >
      <div className={css.tools}>
        <div className={css.search}>
          <SearchField
            label={words.search}
            value={q}
            autoFocus
            onChange={({ target }) => show({ q: target.value || undefined, channel })}
          />
        </div>
        <fieldset className={css.chips}>
          <legend className="visually-hidden">{words.providers}</legend>
          {chips.map(([label, value]) => (
            <button
              key={label}
              type="button"
              className={css.chip}
              aria-pressed={value === channel}
              onClick={() => show({ q: q || undefined, channel: value })}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      <ListView
        rows={found}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            title={words.noMatch}
            text={words.noMatchText}
            action={<Button onClick={() => show({})}>{words.clear}</Button>}
          />
        }
      >
        {(rows) => (
          <div className={css.groups}>
            <p className={css.legend}>
              <span>{words.legend}</span>
              <span>
                <Icon name="key" size={13} /> {words.canCheck}
              </span>
              <span>
                <Icon name="activity" size={13} /> {words.receipts}
              </span>
            </p>
            {channels
              .map((group): [Channel, Provider[]] => [group, rows.filter((provider) => provider.channel === group)])
              .filter(([, providers]) => providers.length > 0)
              .map(([group, providers]) => (
                <section key={group}>
                  <h2 className={css.groupTitle}>{channelNames[group]}</h2>
                  <ul className={css.grid} aria-label={`${words.providers}: ${channelNames[group]}`}>
                    {/* By name; what sends nothing comes last. */}
                    {providers
                      .toSorted((a, b) => Number(a.isCapture) - Number(b.isCapture) || a.name.localeCompare(b.name))
                      .map((provider) => (
                        <li key={provider.id}>
                          <ProviderCard provider={provider} />
                        </li>
                      ))}
                  </ul>
                </section>
              ))}
          </div>
        )}
      </ListView>
    </Page>
  );
}

const ProviderCard = ({ provider }: { provider: Provider }) => (
  <Link to="/integrations/new/$providerId" params={{ providerId: provider.id }} className={css.providerCard}>
    <ProviderTile {...tileOf(provider)} />
    <span className={css.providerText}>
      <span className={css.rowName}>{provider.name}</span>
      <span className={css.rowNote}>{provider.isCapture ? words.capture : provider.id}</span>
    </span>
    <span className={css.providerSigns}>
      {provider.canCheck && <Sign label={words.canCheck} icon="key" />}
      {provider.receipts && <Sign label={words.receipts} icon="activity" />}
    </span>
  </Link>
);

const Sign = ({ label, icon }: { label: string; icon: "key" | "activity" }) => (
  <span title={label}>
    <Icon name={icon} size={13} />
    <span className="visually-hidden">{label}</span>
  </span>
);

const isFound = ({ id, name, channel }: Provider, text: string, wanted: Channel | undefined): boolean =>
  (wanted === undefined || channel === wanted) &&
  text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => `${id} ${name} ${channelNames[channel]}`.toLowerCase().includes(part));
