// What the command palette finds for a text.
import type { LinkProps } from "@tanstack/react-router";
import { useOperation } from "../api/hooks.ts";
import type { IconName } from "../icons.tsx";
import { words } from "../words.ts";
import { navigation } from "./navigation.ts";

export type PaletteItem = { key: string; label: string; note?: string; icon: IconName; link: LinkProps };
export type PaletteGroup = { label: string; items: PaletteItem[] };

const fewest = 2;

export function usePaletteItems(text: string): { groups: PaletteGroup[]; isSearching: boolean } {
  const isLong = text.length >= fewest;
  const isAddress = text.includes("@");
  const found = { enabled: isLong, keep: true };
  const workflows = useOperation("workflows.list", { query: { limit: 5, query: text } }, found);
  const byId = useOperation("subscribers.list", { query: { limit: 5, subscriberId: text } }, found);
  const byEmail = useOperation(
    "subscribers.list",
    { query: { limit: 5, email: text } },
    { enabled: isLong && isAddress, keep: true },
  );
  const transaction = useOperation("notifications.list", { query: { limit: 1, transactionId: text } }, found);
  const people = isLong ? [...(byId.data?.data ?? []), ...(isAddress ? (byEmail.data?.data ?? []) : [])] : [];
  const groups: PaletteGroup[] = [
    {
      label: words.palette.screens,
      items: navigation
        .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
        .map(({ to, label, icon }) => ({ key: to, label, icon, link: { to } as LinkProps })),
    },
    {
      label: words.palette.transactions,
      items: (isLong ? (transaction.data?.data ?? []) : []).map(({ transactionId, template }) => ({
        key: transactionId,
        label: words.palette.openTransaction(transactionId),
        note: template?.name,
        icon: "activity",
        link: { to: "/activity/$transactionId", params: { transactionId } } as LinkProps,
      })),
    },
    {
      label: words.palette.workflows,
      items: (isLong ? (workflows.data?.workflows ?? []) : []).map(({ workflowId, name }) => ({
        key: workflowId,
        label: name,
        note: workflowId,
        icon: "workflow",
        link: { to: "/workflows/$workflowId", params: { workflowId } } as LinkProps,
      })),
    },
    {
      label: words.palette.people,
      items: [...new Map(people.map((person) => [person.subscriberId, person])).values()].map((person) => ({
        key: person.subscriberId,
        label: [person.firstName, person.lastName].filter(Boolean).join(" ") || person.subscriberId,
        note: person.email ?? person.subscriberId,
        icon: "users",
        link: { to: "/people/$subscriberId", params: { subscriberId: person.subscriberId } } as LinkProps,
      })),
    },
  ];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isSearching: isLong && [workflows, byId, transaction].some(({ isFetching }) => isFetching),
  };
}
