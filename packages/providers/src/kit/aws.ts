// What the Amazon adapters share: addresses of regions, requests of the Query protocol, and requests signed with
// Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html).

import { isJsonObject, type JsonObject } from "@tidings/contract";
import { AwsV4Signer } from "aws4fetch";
import { rejected, SendError } from "./outcome.ts";
import type { HttpRequest } from "./request.ts";

type AwsKeys = {
  apiKey: string;
  secretKey: string;
  region: string;
};

/** `email.eu-west-1.amazonaws.com`. The region becomes part of a host, so it must look like one. */
export function awsHost(name: string, region: string): string {
  if (!/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(region)) {
    throw new SendError(rejected("config", "The AWS region is not one, such as eu-west-1"));
  }
  return `${name}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

const cannotFlatten = (name: string, form: string): SendError =>
  new SendError(rejected("content", `The override ${name.slice(0, 200)} must be ${form}`));

/** A map of the Query protocol: `MessageAttributes.entry.1.Name`, `MessageAttributes.entry.1.Value.DataType`. */
function entriesOf(name: string, map: JsonObject): [string, string][] {
  return Object.entries(map).flatMap(([key, value], index) => {
    if (!isJsonObject(value)) throw cannotFlatten(`${name}.${key}`, "an object of texts");
    const entry = `${name}.entry.${index + 1}`;
    return [
      [`${entry}.Name`, key],
      ...Object.entries(value).map(([part, text]): [string, string] => {
        if (typeof text === "object") throw cannotFlatten(`${name}.${key}.${part}`, "a text");
        return [`${entry}.Value.${part}`, String(text)];
      }),
    ] as [string, string][];
  });
}

/**
 * Turns a request with a JSON body into what the older services accept: a form, in which a map of maps is numbered.
 * Built as JSON, it accepts overrides like any other
 * (https://docs.aws.amazon.com/sns/latest/api/API_MessageAttributeValue.html).
 */
export function toAwsQuery(request: HttpRequest): HttpRequest {
  const members = Object.entries(JSON.parse(String(request.body)) as JsonObject);
  const fields = members.flatMap(([name, value]): [string, string][] => {
    if (isJsonObject(value)) return entriesOf(name, value);
    if (Array.isArray(value)) throw cannotFlatten(name, "a text or an object");
    return [[name, String(value)]];
  });
  const headers = { ...request.headers, "content-type": "application/x-www-form-urlencoded" };
  return { ...request, headers, body: new URLSearchParams(fields).toString() };
}

export async function signAwsRequest(
  request: HttpRequest,
  service: string,
  { apiKey, secretKey, region }: AwsKeys,
  now: Date,
): Promise<HttpRequest> {
  const keys = { accessKeyId: apiKey, secretAccessKey: secretKey, service, region };
  const datetime = now.toISOString().replace(/[:-]|\.\d{3}/g, "");
  const { body, ...rest } = request;
  const { headers } = await new AwsV4Signer({ ...rest, body: body as string, ...keys, datetime }).sign();
  return { ...request, headers: Object.fromEntries(headers) };
}
