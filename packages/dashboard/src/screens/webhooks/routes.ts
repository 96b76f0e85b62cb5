import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readWebhookSearch, readWebhooksSearch } from "./search.ts";

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/webhooks",
  validateSearch: readWebhooksSearch,
  component: lazyRouteComponent(() => import("./webhooks-screen.tsx"), "WebhooksScreen"),
});

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/webhooks/$webhookId",
  validateSearch: readWebhookSearch,
  component: lazyRouteComponent(() => import("./webhook-screen.tsx"), "WebhookScreen"),
});

export const webhookRoutes = [webhooksRoute, webhookRoute] as const;
