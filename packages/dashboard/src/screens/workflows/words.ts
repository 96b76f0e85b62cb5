// Words of the list, and those that the list and the editor share.
import type { Tone } from "../../kit/tone.ts";
import type { WorkflowStatus } from "./search.ts";

export const statusNames: Record<WorkflowStatus, string> = {
  ACTIVE: "Active",
  INACTIVE: "Inactive",
  ERROR: "Has issues",
};

export const words = {
  title: "Workflows",
  lead: "The steps that an event goes through for each recipient.",
  gallery: "Start from the gallery",
  create: "New workflow",
  search: "Search name or identifier",
  status: "Status",
  name: "Name",
  id: "Identifier",
  steps: "Steps",
  lastTriggered: "Last event",
  never: "never",
  updated: "Changed",
  noSteps: "none",
  none: "No workflows yet",
  noneText: "Create one here or through the API, then trigger it by its identifier.",
  noMatch: "No matching workflows",
  noMatchText: "Try part of the name or identifier, or another status.",
  clear: "Clear filters",
  count: (from: number, to: number, total: number) => `${from}–${to} of ${total}`,
  menu: (name: string) => `Actions for ${name}`,
  open: "Open",
  activity: "View activity",
  duplicate: "Duplicate …",
  remove: "Delete …",
  createTitle: "New workflow",
  createText: "Your code triggers the workflow by its identifier, which cannot be changed later.",
  createAction: "Create",
  idHint: "Letters and digits, joined by - _ or .",
  idTaken: "Another workflow already has this identifier.",
  duplicateTitle: (name: string) => `Duplicate ${name}`,
  duplicateText: "The copy has its own steps and translations, and is inactive until you activate it.",
  duplicateAction: "Duplicate",
  copyName: (name: string) => `${name} (copy)`,
  duplicated: (name: string) => `${name} was created`,
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText: "New events are rejected immediately, and waiting runs are canceled. This cannot be undone.",
  removeConfirm: (id: string) => `Type ${id} to confirm`,
  removeAction: "Delete workflow",
  removed: (name: string) => `${name} was deleted`,
  production: "This is a production environment: the change applies to real people immediately.",
} as const;

/** In this file, because every screen that needs them needs its words as well. */
export const statusTones: Record<WorkflowStatus, Tone> = { ACTIVE: "good", INACTIVE: "quiet", ERROR: "bad" };
