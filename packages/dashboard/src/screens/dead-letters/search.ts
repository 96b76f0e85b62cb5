// What the addresses of these screens carry.
import type { DeadLetter } from "@tidings/contract";
import { choiceParam, pageParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

type ErrorClass = DeadLetter["errorClass"];

const classes: readonly ErrorClass[] = ["transient", "unknown", "auth", "quota", "config"];
const tabs = ["causes", "replays", "tasks"] as const;
export type DeadLetterTab = (typeof tabs)[number];

type DeadLettersSearch = { tab?: DeadLetterTab; page?: number };

export const readDeadLettersSearch = ({ tab, page }: RawSearch): DeadLettersSearch =>
  present({ tab: choiceParam(tab, tabs), page: pageParam(page) });

/** The filter of a group's letters; `workflow` narrows it to one workflow. */
export type GroupSearch = { integration: string; error: ErrorClass; workflow?: string; page?: number };

export const readGroupSearch = ({ integration, error, workflow, page }: RawSearch): GroupSearch =>
  present({
    integration: textParam(integration) ?? "",
    error: choiceParam(error, classes) ?? "unknown",
    workflow: textParam(workflow),
    page: pageParam(page),
  });
