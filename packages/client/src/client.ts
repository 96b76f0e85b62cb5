// `createTidings({ baseUrl, apiKey })` → `tidings.events.trigger({ body })`. One method per operation of the contract.
import type { CallArguments, OperationId, Output, Resources } from "@tidings/contract";
import { operationPaths } from "./operations.gen.ts";
import { type Options, type RawInput, type RawResponse, request, requestRaw, type SendInput, send } from "./request.ts";

/** `tidings.<resource>.<method>(input)` resolves to the body of the response, and rejects with a TidingsError. */
export type Tidings = Resources & {
  /** The same by the name of the operation: `tidings.call("events.trigger", { body })`. */
  call<Id extends OperationId>(id: Id, ...input: CallArguments<Id>): Promise<Output<Id>>;
  /** Any input, one try, and the response whatever its status. */
  raw(id: OperationId, input?: RawInput): Promise<RawResponse>;
  /** One request to any path, for streams and files. Its signal is its only time limit. */
  send(method: string, path: string, input?: SendInput): Promise<Response>;
};

export function createTidings(options: Options): Tidings {
  if (options.apiKey && options.token) throw new TypeError("Give apiKey (servers) or token (browsers), not both");
  const call = (id: OperationId, input: RawInput = {}) => request(options, id, input);
  const resources = new Map<string, object>();
  for (const id of Object.keys(operationPaths) as OperationId[]) {
    const [resource, method] = id.split(".") as [string, string];
    if (!resources.has(resource)) resources.set(resource, {});
    Object.assign(resources.get(resource)!, { [method]: (input?: RawInput) => call(id, input) });
  }
  return Object.assign(Object.fromEntries(resources), {
    call,
    raw: (id: OperationId, input: RawInput = {}) => requestRaw(options, id, input),
    send: (method: string, path: string, input?: SendInput) => send(options, method, path, input),
  }) as unknown as Tidings;
}
