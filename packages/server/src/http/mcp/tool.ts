// What a tool is: a name, a schema for its arguments, and a function over the operations of the API. A tool calls
// operations as a program with the same key would; it has no other way to the data.
import type { CallInput, OperationId, Output } from "@tidings/contract";
import { type Static, type TObject, type TProperties, Type } from "@tidings/contract/schema";
import type { Caller } from "../../context.ts";

/** Calls an operation with the key of the request, and throws `Refusal` for every response but a success. */
export type CallOperation = <Id extends OperationId>(operation: Id, input: CallInput<Id>) => Promise<Output<Id>>;

export type ToolHost = {
  caller: Caller;
  call: CallOperation;
  /** The address of a screen of the dashboard as the line of a result; empty where it is not known. */
  linkTo(path: string): string;
  now(): Date;
  /** Signs the id of a plan, so that only plans that were shown can be applied. */
  signPlan(content: string): string;
  isPlanSigned(content: string, planId: string): boolean;
};

/** An outcome that the assistant gets as an error: an operation refused, or a rule of the tool did. */
export class Refusal extends Error {
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** Arguments whose values the audit log keeps. Texts that people search for are personal data, so they are not kept. */
export const auditedArguments = [
  "transactionId",
  "notificationId",
  "workflowId",
  "stepId",
  "integrationIdentifier",
  "channel",
  "errorClass",
  "planId",
  "backtestId",
  "topicKey",
  "audienceId",
  "subscriberIds",
  "ids",
  "perSecond",
  "atMost",
] as const;

export type Tool = {
  name: string;
  title: string;
  description: string;
  input: TObject;
  /** The operations that the tool cannot do without: it is for the keys that may call all of them. */
  operations: readonly OperationId[];
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    /** The call may reach providers outside of the installation. */
    openWorldHint: boolean;
  };
  run(host: ToolHost, input: never): Promise<string>;
};

type Definition<P extends TProperties> = Omit<Tool, "input" | "annotations" | "run"> & {
  input: P;
  run(host: ToolHost, input: Static<TObject<P>>): Promise<string>;
};

/** Unknown arguments are refused: a misspelt filter would be one without an effect. */
const strict = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

export function readingTool<P extends TProperties>({ input, run, ...rest }: Definition<P>): Tool {
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  return { ...rest, input: strict(input), annotations, run };
}

export function changingTool<P extends TProperties>(
  { input, run, ...rest }: Definition<P>,
  effects: Pick<Tool["annotations"], "destructiveHint" | "idempotentHint" | "openWorldHint">,
): Tool {
  return { ...rest, input: strict(input), annotations: { readOnlyHint: false, ...effects }, run };
}
