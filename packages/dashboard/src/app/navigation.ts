// The screens of the side navigation and of the command palette, in their order.
import type { IconName } from "../icons.tsx";

export type NavigationItem = { to: string; label: string; icon: IconName; isExact?: boolean };

export const navigation: readonly NavigationItem[] = [
  { to: "/", label: "Home", icon: "home", isExact: true },
  { to: "/activity", label: "Activity", icon: "activity" },
  { to: "/workflows", label: "Workflows", icon: "workflow" },
  { to: "/layouts", label: "Layouts", icon: "layout" },
  { to: "/translations", label: "Translations", icon: "languages" },
  { to: "/people", label: "People", icon: "users" },
  { to: "/topics", label: "Audience", icon: "hash" },
  { to: "/integrations", label: "Integrations", icon: "plug" },
  { to: "/webhooks", label: "Webhooks", icon: "webhook" },
  { to: "/dead-letters", label: "Dead letters", icon: "mailX" },
  { to: "/statistics", label: "Statistics", icon: "bars" },
  { to: "/environments", label: "Environments", icon: "layers" },
  { to: "/settings", label: "Settings", icon: "settings" },
];
