// `createTidings({ baseUrl, apiKey })` → `tidings.events.trigger({ body })`. One method per operation of the contract.
import type { CallInput, OperationId, Output } from "@tidings/contract";
import { operationPaths } from "./operations.gen.ts";
import { type Options, request } from "./request.ts";

type Arguments<Id extends OperationId> =
  Record<never, never> extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>];
type Method<Id extends OperationId> = (...input: Arguments<Id>) => Promise<Output<Id>>;

type Resource = OperationId extends `${infer R}.${string}` ? R : never;
type MethodName<R extends string> = Extract<OperationId, `${R}.${string}`> extends `${R}.${infer M}` ? M : never;

/** `tidings.<resource>.<method>(input)` answers the body of the answer, and rejects with a TidingsError. */
export type Tidings = {
  readonly [R in Resource]: {
    readonly [M in MethodName<R>]: `${R}.${M}` extends OperationId ? Method<`${R}.${M}`> : never;
  };
} & {
  /** The same by the name of the operation: `tidings.call("events.trigger", { body })`. */
  call<Id extends OperationId>(id: Id, ...input: Arguments<Id>): Promise<Output<Id>>;
};

export function createTidings(options: Options): Tidings {
  if (options.apiKey && options.token) throw new TypeError("Give apiKey (servers) or token (browsers), not both");
  const call = (id: OperationId, input: object = {}) => request(options, id, input);
  const resources = new Map<string, object>();
  for (const id of Object.keys(operationPaths) as OperationId[]) {
    const [resource, method] = id.split(".") as [string, string];
    if (!resources.has(resource)) resources.set(resource, {});
    Object.assign(resources.get(resource)!, { [method]: (input?: object) => call(id, input) });
  }
  return Object.assign(Object.fromEntries(resources), { call }) as unknown as Tidings;
}
