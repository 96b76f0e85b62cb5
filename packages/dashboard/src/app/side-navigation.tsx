// The side navigation: search, environment, screens, account.
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type Environment, type Session, signOut } from "../api/auth.ts";
import { baseUrl } from "../api/client.ts";
import { Icon, Mark } from "../icons.tsx";
import { Menu, type MenuEntry } from "../kit/overlays/menu.tsx";
import { showError } from "../kit/overlays/toast.tsx";
import { words } from "../words.ts";
import { navigation, navigationGroups } from "./navigation.ts";
import css from "./shell.module.css";
import { themes, useTheme } from "./theme.ts";

type SideProps = { session: Session; environment: Environment; onSearch: () => void };

const isMac = /mac|iphone|ipad/i.test(navigator.platform);

export const SideNavigation = ({ session, environment, onSearch }: SideProps) => (
  <div className={css.sideInner}>
    <Link to="/" className={css.brand}>
      <Mark />
      {words.product}
    </Link>
    <EnvironmentSwitcher environments={session.environments} environment={environment} />
    <button type="button" className={css.search} onClick={onSearch}>
      <Icon name="search" size={14} />
      {words.palette.open}
      <span className={css.keys} aria-hidden="true">
        <kbd className={css.key}>{isMac ? "⌘" : "Ctrl"}</kbd>
        <kbd className={css.key}>K</kbd>
      </span>
    </button>
    <nav aria-label={words.navigation.label}>
      {navigationGroups.map(({ label: group, items }, index) => (
        <div key={group ?? index} className={css.group}>
          {group && <p className={css.groupLabel}>{group}</p>}
          <ul className={css.links} aria-label={group}>
            {items.map(({ to, label, icon, isExact }) => (
              <li key={to}>
                <Link to={to} className={css.link} activeOptions={{ exact: isExact ?? false, includeSearch: false }}>
                  <Icon name={icon} />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
    <div className={css.foot}>
      <AccountMenu session={session} />
    </div>
  </div>
);

function EnvironmentSwitcher({ environments, environment }: { environments: Environment[]; environment: Environment }) {
  const navigate = useNavigate();
  const noteOf = ({ type }: Environment) =>
    type === "prod" ? words.environment.productionNote : words.environment.developmentNote;
  const isProduction = environment.type === "prod";
  return (
    <Menu
      entries={environments.map((each) => ({
        kind: "radio",
        label: each.name,
        note: noteOf(each),
        icon: each.type === "prod" ? "zap" : "code",
        isChosen: each._id === environment._id,
        // A record of one environment does not exist in the other: the start of the same screen is shown.
        onChoose: () => void navigate({ to: screenOf(window.location.pathname), search: { env: each.identifier } }),
      }))}
      trigger={
        <button
          type="button"
          className={css.environment}
          data-production={isProduction}
          aria-label={`${words.environment.label}: ${environment.name}`}
        >
          <span className={css.environmentSign} data-production={isProduction}>
            <Icon name={isProduction ? "zap" : "code"} size={15} />
          </span>
          <span className={css.strong}>{environment.name}</span>
          <span className={css.end}>
            <Icon name="chevronsUpDown" size={14} />
          </span>
        </button>
      }
    />
  );
}

/** The start of the screen that this path is part of. */
export function screenOf(path: string): string {
  const inside = path.slice(new URL(baseUrl()).pathname.length - 1);
  return navigation.find(({ to }) => to !== "/" && inside.startsWith(to))?.to ?? "/";
}

function AccountMenu({ session: { person, version } }: { session: Session }) {
  const [theme, setTheme] = useTheme();
  const client = useQueryClient();
  const leave = async () => {
    await signOut().catch(showError);
    client.clear();
    // A full load, so that nothing of the session stays in memory.
    window.location.assign(new URL("sign-in", baseUrl()));
  };
  const icons = { system: "monitor", light: "sun", dark: "moon" } as const;
  const entries: MenuEntry[] = [
    { kind: "group", label: words.account.theme },
    ...themes.map((each) => ({
      kind: "radio" as const,
      label: words.account.themes[each],
      icon: icons[each],
      isChosen: each === theme,
      onChoose: () => setTheme(each),
    })),
    { kind: "line" },
    {
      label: words.account.reference,
      icon: "book",
      href: new URL("docs", baseUrl()).href,
      note: words.account.version(version),
    },
    { kind: "line" },
    { label: words.account.signOut, icon: "signOut", onChoose: () => void leave() },
  ];
  const name = person.name || person.email;
  return (
    <Menu
      side="top"
      entries={entries}
      trigger={
        <button type="button" className={css.account}>
          <span className="visually-hidden">{words.account.label}: </span>
          <span className={css.avatar} aria-hidden="true">
            {initialsOf(name)}
          </span>
          <span className={css.lines}>
            <span className={css.strong}>{name}</span>
            <span className={css.weak}>{person.email}</span>
          </span>
          <span className={css.end}>
            <Icon name="chevronsUpDown" size={14} />
          </span>
        </button>
      }
    />
  );
}

const initialsOf = (name: string): string =>
  name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((part) => part.charAt(0).toUpperCase())
    .join("");
