// The screens of the side navigation and of the command palette, in their order.
import type { IconName } from "../icons.tsx";

type NavigationItem = { to: string; label: string; icon: IconName; isExact?: boolean };
type NavigationGroup = { label?: string; items: readonly NavigationItem[] };

export const navigationGroups: readonly NavigationGroup[] = [
  {
    items: [
      { to: "/", label: "Home", icon: "home", isExact: true },
      { to: "/activity", label: "Activity", icon: "activity" },
      { to: "/statistics", label: "Statistics", icon: "bars" },
    ],
  },
  {
    label: "Content",
    items: [
      { to: "/workflows", label: "Workflows", icon: "workflow" },
      { to: "/broadcasts", label: "Broadcasts", icon: "megaphone" },
      { to: "/layouts", label: "Layouts", icon: "layout" },
      { to: "/brand", label: "Brand", icon: "palette" },
      { to: "/translations", label: "Translations", icon: "languages" },
    ],
  },
  {
    label: "Recipients",
    items: [
      { to: "/subscribers", label: "Subscribers", icon: "users" },
      { to: "/audiences", label: "Audiences", icon: "audience" },
      { to: "/topics", label: "Topics", icon: "hash" },
      { to: "/categories", label: "Categories", icon: "tag" },
      { to: "/attention", label: "Attention", icon: "gauge" },
    ],
  },
  {
    label: "Delivery",
    items: [
      { to: "/integrations", label: "Integrations", icon: "plug" },
      { to: "/webhooks", label: "Webhooks", icon: "webhook" },
      { to: "/sources", label: "Sources", icon: "database" },
      { to: "/dead-letters", label: "Dead letters", icon: "mailX" },
      { to: "/alerts", label: "Alerts", icon: "bell" },
    ],
  },
  {
    label: "Testing",
    items: [
      { to: "/backtests", label: "Backtests", icon: "flask" },
      { to: "/mailbox", label: "Mailbox", icon: "mail" },
      { to: "/clock", label: "Test clock", icon: "timer" },
    ],
  },
  {
    label: "Administration",
    items: [
      { to: "/environments", label: "Environments", icon: "layers" },
      { to: "/settings", label: "Settings", icon: "settings" },
    ],
  },
];

export const navigation: readonly NavigationItem[] = navigationGroups.flatMap(({ items }) => items);
