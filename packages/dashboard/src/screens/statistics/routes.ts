import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Channel } from "@tidings/contract";
import { shellRoute } from "../../app/root-route.tsx";

export const statisticsRanges = ["24h", "7d", "30d"] as const;
export type StatisticsRange = (typeof statisticsRanges)[number];

export type StatisticsSearch = { range?: StatisticsRange; channel?: Channel; workflow?: string; provider?: string };

const channels: readonly Channel[] = ["in_app", "email", "sms", "chat", "push"];

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 255) : undefined;

export const statisticsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/statistics",
  validateSearch: ({ range, channel, workflow, provider }: Record<string, unknown>): StatisticsSearch =>
    Object.fromEntries(
      Object.entries({
        range: statisticsRanges.find((one) => one === range),
        channel: channels.find((one) => one === channel),
        workflow: textOf(workflow),
        provider: textOf(provider),
      }).filter(([, value]) => value !== undefined),
    ),
  component: lazyRouteComponent(() => import("./statistics-screen.tsx"), "StatisticsScreen"),
});

export const statisticsRoutes = [statisticsRoute] as const;
