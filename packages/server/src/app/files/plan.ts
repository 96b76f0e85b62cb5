// What a plan is: the changes as shown, and the writes that carry them out.
import type {
  AttentionBudget,
  AudienceFile,
  BrandFile,
  CategoryFile,
  FileChange,
  FileKept,
  TopicFile,
} from "@tidings/contract";
import type { AudienceRow } from "../../store/audiences/audiences.ts";
import type { CategoryRow } from "../../store/subscribers/categories.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import type { IntegrationWrite } from "./integration-plan.ts";
import type { ReadLayout, ReadWorkflow } from "./workflow-files.ts";

export type PlannedChange = Omit<FileChange, "inFlight">;

export type WorkflowWrite = ReadWorkflow & {
  row: WorkflowRow | undefined;
  /** False when only its texts change: then there is no new version. */
  hasNewContent: boolean;
  hasNewTexts: boolean;
  summary: string;
};
export type LayoutWrite = ReadLayout & { row: LayoutRow | undefined };

type CategoryWrite = { file: CategoryFile; row: CategoryRow | undefined };

export type Plan = {
  changes: PlannedChange[];
  unchanged: number;
  kept: FileKept[];
  workflows: WorkflowWrite[];
  layouts: LayoutWrite[];
  integrations: IntegrationWrite[];
  topics: TopicFile[];
  categories: CategoryWrite[];
  audiences: { file: AudienceFile; row: AudienceRow | undefined }[];
  /** Identifiers; absent: it does not change. */
  categoryOrder?: string[];
  /** Absent: it does not change. */
  brand?: BrandFile;
  /** Absent: they do not change. `hasTemplate`: the files have the workflow of roll-ups. */
  budgets?: { list: AttentionBudget[]; hasTemplate: boolean };
  deletedWorkflows: WorkflowRow[];
  deletedLayouts: LayoutRow[];
  deletedCategories: CategoryRow[];
  deletedAudiences: AudienceRow[];
};

/** The members of a change that says nothing more. */
export const bareChange = { settings: [], steps: [], notes: [], sentences: [] };
