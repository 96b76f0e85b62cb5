// The forms of steps that are more than a list of fields, loaded when such a step is chosen.
import type { StepType } from "@tidings/contract";
import type { ReactNode } from "react";
import { BranchForm } from "./branch-form.tsx";
import { ExperimentForm } from "./experiment-form.tsx";
import { HttpRequestForm } from "./http-request-form.tsx";
import type { OwnFormProps } from "./props.ts";
import { StartWorkflowForm } from "./start-workflow-form.tsx";
import { UpdateSubscriberForm } from "./update-subscriber-form.tsx";
import { WaitForm } from "./wait-form.tsx";

const forms: Partial<Record<StepType, (props: OwnFormProps) => ReactNode>> = {
  branch: BranchForm,
  experiment: ExperimentForm,
  wait: WaitForm,
  http_request: HttpRequestForm,
  start_workflow: StartWorkflowForm,
  update_subscriber: UpdateSubscriberForm,
};

export function OwnForm(props: OwnFormProps) {
  const Form = forms[props.step.type];
  return Form && <Form {...props} />;
}
