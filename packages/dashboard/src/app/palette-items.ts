// What the command palette finds for a text.
import type { LinkProps } from "@tanstack/react-router";
import { useOperation } from "../api/hooks.ts";
import { useMay } from "../api/permissions.ts";
import { useEnvironment, useSession } from "../api/session.tsx";
import type { IconName } from "../icons.tsx";
import { useSettled } from "../kit/use-settled.ts";
import { labelOf } from "../outcomes/event-label.ts";
import { words } from "../words.ts";
import { navigation } from "./navigation.ts";
import { screenOf } from "./side-navigation.tsx";
import { themes, useTheme } from "./theme.ts";

/** Dialogs that open instead of the palette. */
export type PaletteDialog = "workflow" | "invitation";

export type PaletteItem = { key: string; label: string; note?: string; icon: IconName } & (
  | { link: LinkProps }
  | { run: () => void }
  | { dialog: PaletteDialog }
);
export type PaletteGroup = { label: string; items: PaletteItem[] };

const fewest = 2;
const most = 5;
const typingMs = 120;

export function usePaletteItems(text: string): { groups: PaletteGroup[]; isSearching: boolean } {
  const settled = useSettled(text, typingMs);
  const found = useFound(settled);
  const actions = useActions();
  const part = text.toLowerCase();
  const isMatch = ({ label }: { label: string }) => label.toLowerCase().includes(part);
  const screens = navigation.map(({ to, label, icon }) => ({ key: to, label, icon, link: { to } as LinkProps }));
  const groups: PaletteGroup[] = [
    ...(text.length >= fewest ? found.groups : []),
    { label: words.palette.screens, items: screens.filter(isMatch) },
    { label: words.palette.actions, items: text === "" ? actions.slice(0, most) : actions.filter(isMatch) },
    { label: words.palette.further, items: text.length >= fewest ? [searchItem(text)] : [] },
  ];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isSearching: text.length >= fewest && (text !== settled || found.isSearching),
  };
}

const searchItem = (q: string): PaletteItem => ({
  key: "search",
  label: words.palette.searchActivity(q),
  icon: "search",
  link: { to: "/activity", search: { q } } as LinkProps,
});

/** Every response is small, and found by an index or among few records. */
function useFound(text: string): { groups: PaletteGroup[]; isSearching: boolean } {
  const options = { enabled: text.length >= fewest, keep: true };
  const byPart = { query: { limit: most, query: text } };
  const workflows = useOperation("workflows.list", byPart, options);
  const layouts = useOperation("layouts.list", byPart, options);
  const translations = useOperation("translations.listGroups", byPart, options);
  const topics = useOperation("topics.list", { query: { limit: most, name: text } }, options);
  const audiences = useOperation("audiences.list", byPart, options);
  const subscribers = useOperation("subscribers.list", { query: { limit: most, search: text } }, options);
  const byId = useOperation("activity.listEvents", { query: { limit: 1, transactionId: text } }, options);
  const byValue = useOperation("activity.listEvents", { query: { limit: most, searchValue: text } }, options);
  const asked = [workflows, layouts, translations, topics, audiences, subscribers, byId, byValue];
  const events = [...(byId.data?.data ?? []), ...(byValue.data?.data ?? [])];
  const groups: PaletteGroup[] = [
    {
      label: words.palette.events,
      items: [...new Map(events.map((event) => [event.transactionId, event])).values()].map(
        ({ transactionId, searchKey, workflow, recipient }) => ({
          key: `event ${transactionId}`,
          label: searchKey ? `${labelOf(searchKey)} · ${workflow.name}` : words.palette.openTransaction(transactionId),
          note: recipient?.subscriberId ?? (searchKey ? transactionId : workflow.name),
          icon: "activity",
          link: { to: "/activity/$transactionId", params: { transactionId } } as LinkProps,
        }),
      ),
    },
    {
      label: words.palette.subscribers,
      items: [
        ...(subscribers.data?.data ?? []).map((subscriber) => ({
          key: `subscriber ${subscriber.subscriberId}`,
          label: [subscriber.firstName, subscriber.lastName].filter(Boolean).join(" ") || subscriber.subscriberId,
          note: subscriber.email ?? subscriber.subscriberId,
          icon: "users" as const,
          link: { to: "/subscribers/$subscriberId", params: { subscriberId: subscriber.subscriberId } } as LinkProps,
        })),
        ...(subscribers.data?.next
          ? [
              {
                key: "more subscribers",
                label: words.palette.moreSubscribers(text),
                icon: "search" as const,
                link: { to: "/subscribers", search: { q: text } } as LinkProps,
              },
            ]
          : []),
      ],
    },
    {
      label: words.palette.workflows,
      items: (workflows.data?.workflows ?? []).map(({ workflowId, name }) => ({
        key: `workflow ${workflowId}`,
        label: name,
        note: workflowId,
        icon: "workflow",
        link: { to: "/workflows/$workflowId", params: { workflowId } } as LinkProps,
      })),
    },
    {
      label: words.palette.layouts,
      items: (layouts.data?.layouts ?? []).map(({ layoutId, name }) => ({
        key: `layout ${layoutId}`,
        label: name,
        note: layoutId,
        icon: "layout",
        link: { to: "/layouts/$layoutId", params: { layoutId } } as LinkProps,
      })),
    },
    {
      label: words.palette.translations,
      items: (translations.data?.groups ?? []).map(({ resourceId, resourceType, resourceName }) => ({
        key: `texts ${resourceType} ${resourceId}`,
        label: words.palette.textsOf(resourceName),
        note: resourceId,
        icon: "languages",
        link: { to: "/translations/$resourceType/$resourceId", params: { resourceType, resourceId } } as LinkProps,
      })),
    },
    {
      label: words.palette.audiences,
      items: (audiences.data?.data ?? []).map(({ audienceId, name }) => ({
        key: `audience ${audienceId}`,
        label: name,
        note: audienceId,
        icon: "audience",
        link: { to: "/audiences/$audienceId", params: { audienceId } } as LinkProps,
      })),
    },
    {
      label: words.palette.topics,
      items: (topics.data?.data ?? []).map(({ key, name }) => ({
        key: `topic ${key}`,
        label: name || key,
        note: key,
        icon: "hash",
        link: { to: "/topics/$topicKey", params: { topicKey: key } } as LinkProps,
      })),
    },
  ];
  return { groups, isSearching: asked.some(({ isFetching }) => isFetching) };
}

const themeIcons = { system: "monitor", light: "sun", dark: "moon" } as const;

function useActions(): PaletteItem[] {
  const may = useMay();
  const { environments } = useSession();
  const environment = useEnvironment();
  const [theme, setTheme] = useTheme();
  return [
    ...(may("workflows.create")
      ? [{ key: "new workflow", label: words.palette.newWorkflow, icon: "plus" as const, dialog: "workflow" as const }]
      : []),
    ...(may("broadcasts.create")
      ? [
          {
            key: "new broadcast",
            label: words.palette.newBroadcast,
            icon: "plus" as const,
            link: { to: "/broadcasts", search: { new: true } } as LinkProps,
          },
        ]
      : []),
    ...(may("audiences.create")
      ? [
          {
            key: "new audience",
            label: words.palette.newAudience,
            icon: "plus" as const,
            link: { to: "/audiences/new" } as LinkProps,
          },
        ]
      : []),
    ...environments
      .filter(({ _id }) => _id !== environment._id)
      .map(({ identifier, name, type }) => ({
        key: `environment ${identifier}`,
        label: words.palette.switchTo(name),
        icon: type === "prod" ? ("zap" as const) : ("code" as const),
        link: { to: screenOf(window.location.pathname), search: { env: identifier } } as LinkProps,
      })),
    ...(may("people.createInvitation")
      ? [{ key: "invite", label: words.palette.invite, icon: "users" as const, dialog: "invitation" as const }]
      : []),
    ...themes
      .filter((each) => each !== theme)
      .map((each) => ({
        key: `theme ${each}`,
        label: words.palette.theme(words.account.themes[each]),
        icon: themeIcons[each],
        run: () => setTheme(each),
      })),
  ];
}
