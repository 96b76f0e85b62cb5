// What a caller of an operation gives: the parts of its request, typed by the operation's schemas. The package of the
// client has these types in another form (scripts/api-types.ts).
import type { Operation } from "./operation.ts";
import type { OperationId, Operations, Output } from "./operations.ts";
import type { Static, TSchema } from "./schema.ts";

type CallOptions = {
  /** A value of undefined removes a header, including `authorization`. */
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
  /** Milliseconds that one try may take; 0 for no limit. */
  timeout?: number;
};

// A part without required members may be left out; a body only where the operation reads none as an empty one.
type Part<Name extends string, S> = S extends TSchema
  ? Record<never, never> extends Static<S>
    ? { [N in Name]?: Static<S> }
    : { [N in Name]: Static<S> }
  : { [N in Name]?: never };
type BodyPart<O extends Operation> = O["body"] extends infer S extends TSchema
  ? O extends { isBodyOptional: true }
    ? { body?: Static<S> }
    : { body: Static<S> }
  : { body?: never };
type PartsOf<O extends Operation> = Part<"params", O["params"]> & Part<"query", O["query"]> & BodyPart<O>;

export type CallInput<Id extends OperationId> = PartsOf<Operations[Id]> & CallOptions;

/** The arguments after the operation's id: optional where every part is. */
export type CallArguments<Id extends OperationId> =
  Record<never, never> extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>];

type Method<Id extends OperationId> = (...input: CallArguments<Id>) => Promise<Output<Id>>;
type Resource = OperationId extends `${infer R}.${string}` ? R : never;
type MethodName<R extends string> = Extract<OperationId, `${R}.${string}`> extends `${R}.${infer M}` ? M : never;

/** Operations as methods: `events.trigger` is the method `trigger` of `events`. */
export type Resources = {
  readonly [R in Resource]: {
    readonly [M in MethodName<R>]: `${R}.${M}` extends OperationId ? Method<`${R}.${M}`> : never;
  };
};
