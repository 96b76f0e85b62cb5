import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

const tabs = ["topics", "contexts", "suppressions", "imports"] as const;
export type AudienceTab = (typeof tabs)[number];

export type AudienceSearch = {
  tab?: AudienceTab;
  q?: string;
  after?: string;
  before?: string;
  channel?: "email" | "sms";
  reason?: "bounce" | "complaint" | "manual";
};

const textOf = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value).slice(0, 400) : undefined;

const memberOf = <T extends string>(value: unknown, of: readonly T[]): T | undefined =>
  of.find((member) => member === value);

const present = <T extends object>(of: T): T =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as T;

export const audienceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/topics",
  validateSearch: ({ tab, q, after, before, channel, reason }: Record<string, unknown>): AudienceSearch =>
    present({
      tab: memberOf(tab, tabs),
      q: textOf(q),
      after: textOf(after),
      before: textOf(before),
      channel: memberOf(channel, ["email", "sms"]),
      reason: memberOf(reason, ["bounce", "complaint", "manual"]),
    }),
  component: lazyRouteComponent(() => import("./audience-screen.tsx"), "AudienceScreen"),
});

export type TopicSearch = { q?: string; after?: string; before?: string };

export const topicRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/topics/$topicKey",
  validateSearch: ({ q, after, before }: Record<string, unknown>): TopicSearch =>
    present({ q: textOf(q), after: textOf(after), before: textOf(before) }),
  component: lazyRouteComponent(() => import("./topic-screen.tsx"), "TopicScreen"),
});

export const audienceRoutes = [audienceRoute, topicRoute] as const;
