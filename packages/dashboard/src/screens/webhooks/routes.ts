import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { StoredReceipt, WebhookDelivery } from "@tidings/contract";
import { shellRoute } from "../../app/root-route.tsx";

type Result = StoredReceipt["result"];
type Status = WebhookDelivery["status"];

const results: readonly string[] = ["applied", "duplicate", "waiting", "ignored", "refused"] satisfies Result[];
const statuses: readonly string[] = ["pending", "delivered", "failed"] satisfies Status[];
export type WebhookTab = "endpoints" | "receipts";

type Paged = { page?: number };
const pageOf = (page: unknown): Paged =>
  Number.isInteger(page) && (page as number) > 0 ? { page: page as number } : {};

export type WebhooksSearch = { tab?: WebhookTab; integration?: string; result?: Result } & Paged;

export const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/webhooks",
  validateSearch: ({ tab, integration, result, page }: Record<string, unknown>): WebhooksSearch => ({
    ...(tab === "receipts" && { tab }),
    ...(integration !== undefined && integration !== "" && { integration: String(integration) }),
    ...(results.includes(result as string) && { result: result as Result }),
    ...pageOf(page),
  }),
  component: lazyRouteComponent(() => import("./webhooks-screen.tsx"), "WebhooksScreen"),
});

export const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/webhooks/$webhookId",
  validateSearch: ({ state, page }: Record<string, unknown>): { state?: Status } & Paged => ({
    ...(statuses.includes(state as string) && { state: state as Status }),
    ...pageOf(page),
  }),
  component: lazyRouteComponent(() => import("./webhook-screen.tsx"), "WebhookScreen"),
});

export const webhookRoutes = [webhooksRoute, webhookRoute] as const;
