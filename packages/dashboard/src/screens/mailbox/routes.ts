import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readMailboxSearch } from "./search.ts";

const mailboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/mailbox",
  validateSearch: readMailboxSearch,
  component: lazyRouteComponent(() => import("./mailbox-screen.tsx"), "MailboxScreen"),
});

export const mailboxRoutes = [mailboxRoute] as const;
