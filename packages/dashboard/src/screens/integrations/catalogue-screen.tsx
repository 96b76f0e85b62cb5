// All providers, to choose one for a new integration.
import { Link, useNavigate } from "@tanstack/react-router";
import type { Channel, Provider } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { Icon } from "../../icons.tsx";
import { Button } from "../../kit/button.tsx";
import { SearchField } from "../../kit/field.tsx";
import { Page } from "../../kit/page.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import css from "./integrations.module.css";
import { ProviderTile, tileOf } from "./provider-tile.tsx";
import { catalogueRoute } from "./routes.ts";
import { words } from "./words.ts";

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
    ...channels.map((value): [string, Channel] => [words.channels[value], value]),
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
          <legend className={css.hidden}>{words.providers}</legend>
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
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {found?.length === 0 && (
        <EmptyState
          title={words.noMatch}
          text={words.noMatchText}
          action={<Button onClick={() => show({})}>{words.clear}</Button>}
        />
      )}
      {found && found.length > 0 && (
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
            .map((group): [Channel, Provider[]] => [group, found.filter((provider) => provider.channel === group)])
            .filter(([, providers]) => providers.length > 0)
            .map(([group, providers]) => (
              <section key={group}>
                <h2 className={css.groupTitle}>{words.channels[group]}</h2>
                <ul className={css.grid} aria-label={`${words.providers}: ${words.channels[group]}`}>
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
    <span className={css.hidden}>{label}</span>
  </span>
);

const isFound = ({ id, name, channel }: Provider, text: string, wanted: Channel | undefined): boolean =>
  (wanted === undefined || channel === wanted) &&
  text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => `${id} ${name} ${words.channels[channel]}`.toLowerCase().includes(part));
