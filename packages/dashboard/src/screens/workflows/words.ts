// Words of the list, and those that the list and the editor share.
import type { StepType } from "@tidings/contract";
import type { WorkflowStatus } from "./search.ts";

export const stepNames: Record<StepType, string> = {
  in_app: "In-app",
  email: "Email",
  sms: "SMS",
  chat: "Chat",
  push: "Push",
  digest: "Digest",
  delay: "Delay",
  throttle: "Throttle",
  custom: "Custom",
};

export const statusNames: Record<WorkflowStatus, string> = {
  ACTIVE: "Active",
  INACTIVE: "Inactive",
  ERROR: "Has issues",
};

export const words = {
  title: "Workflows",
  lead: "The steps that an event goes through for each recipient.",
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
  noneText: "Create one here, or over the API. It is then triggered by its identifier.",
  noMatch: "No workflow matches",
  noMatchText: "Try a part of the name or of the identifier, or another status.",
  clear: "Clear filters",
  count: (from: number, to: number, total: number) => `${from}–${to} of ${total}`,
  menu: (name: string) => `Actions for ${name}`,
  open: "Open",
  activity: "Show its activity",
  duplicate: "Duplicate …",
  remove: "Delete …",
  createTitle: "New workflow",
  createText: "Its identifier is what your code triggers. It cannot be changed later.",
  createAction: "Create",
  idHint: "Letters and digits, joined by - _ or .",
  idTaken: "Another workflow has this identifier already.",
  duplicateTitle: (name: string) => `Duplicate ${name}`,
  duplicateText: "The copy has its own steps and translations, and is inactive until you activate it.",
  duplicateAction: "Duplicate",
  copyName: (name: string) => `${name} (copy)`,
  duplicated: (name: string) => `${name} was created`,
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText: "New events of it are refused at once, and runs that wait are canceled. This cannot be undone.",
  removeConfirm: (id: string) => `Type ${id} to confirm`,
  removeAction: "Delete workflow",
  removed: (name: string) => `${name} was deleted`,
  production: "This is a production environment: the change applies to real people at once.",
} as const;
