import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { DeadLetter } from "@tidings/contract";
import { shellRoute } from "../../app/root-route.tsx";

export type ErrorClass = DeadLetter["errorClass"];

const classes: readonly string[] = ["transient", "unknown", "auth", "quota", "config"] satisfies ErrorClass[];
const tabs = ["causes", "replays", "tasks"] as const;
export type DeadLetterTab = (typeof tabs)[number];

type Paged = { page?: number };
const pageOf = (page: unknown): Paged =>
  Number.isInteger(page) && (page as number) > 0 ? { page: page as number } : {};

export const deadLettersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/dead-letters",
  validateSearch: ({ tab, page }: Record<string, unknown>): { tab?: DeadLetterTab } & Paged => ({
    ...(tabs.includes(tab as DeadLetterTab) && { tab: tab as DeadLetterTab }),
    ...pageOf(page),
  }),
  component: lazyRouteComponent(() => import("./dead-letters-screen.tsx"), "DeadLettersScreen"),
});

/** Of a group: the filter of its letters; `workflow` narrows it to one workflow. */
export type GroupSearch = { integration: string; error: ErrorClass; workflow?: string } & Paged;

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

export const groupRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/dead-letters/group",
  validateSearch: ({ integration, error, workflow, page }: Record<string, unknown>): GroupSearch => ({
    integration: textOf(integration),
    error: classes.includes(error as string) ? (error as ErrorClass) : "unknown",
    ...(textOf(workflow) !== "" && { workflow: textOf(workflow) }),
    ...pageOf(page),
  }),
  component: lazyRouteComponent(() => import("./group-screen.tsx"), "GroupScreen"),
});

export const replayRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/dead-letters/replays/$replayId",
  component: lazyRouteComponent(() => import("./replay-screen.tsx"), "ReplayScreen"),
});

export const deadLetterRoutes = [deadLettersRoute, groupRoute, replayRoute] as const;
