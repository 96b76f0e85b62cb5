// Arguments that several tools have, each with its bounds.
import { channels } from "@tidings/contract";
import { oneOf, openObject, Type } from "@tidings/contract/schema";

export const subscriberId = Type.String({ minLength: 1, maxLength: 255, description: "Id of the person" });
export const transactionId = Type.String({ minLength: 1, maxLength: 255, description: "Transaction id of the event" });
export const workflowId = Type.String({ minLength: 1, maxLength: 255, description: "Identifier of the workflow" });
export const stepId = Type.String({ minLength: 1, maxLength: 255, description: "`stepId` of the workflow's step" });
export const channel = oneOf(channels, { description: "Channel" });
export const payload = openObject({ maxJsonBytes: 65_536, description: "Payload of the event, at most 64 KB of JSON" });
export const cursor = Type.String({ minLength: 1, maxLength: 1_000, description: "From the end of the last answer" });
export const time = (description: string) => Type.String({ format: "iso-time", maxLength: 40, description });
export const limit = (maximum: number, byDefault: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description: `How many; ${byDefault} if not given` });
export const optional = Type.Optional;
