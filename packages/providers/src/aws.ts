// What the Amazon adapters share: addresses of regions, and requests signed with Signature Version 4
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html).

import { AwsV4Signer } from "aws4fetch";
import { rejected, SendFault } from "./outcome.ts";
import type { HttpRequest } from "./request.ts";

export interface AwsKeys {
  apiKey: string;
  secretKey: string;
  region: string;
}

/** `email.eu-west-1.amazonaws.com`. The region becomes part of a host, so it must look like one. */
export const awsHost = (name: string, region: string): string => {
  if (!/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(region)) {
    throw new SendFault(rejected("config", "The AWS region is not one, such as eu-west-1"));
  }
  return `${name}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
};

export const awsSigned = async (
  request: HttpRequest,
  service: string,
  { apiKey, secretKey, region }: AwsKeys,
  now: Date,
): Promise<HttpRequest> => {
  const keys = { accessKeyId: apiKey, secretAccessKey: secretKey, service, region };
  const datetime = now.toISOString().replace(/[:-]|\.\d{3}/g, "");
  const { body, ...rest } = request;
  const { headers } = await new AwsV4Signer({ ...rest, body: body as string, ...keys, datetime }).sign();
  return { ...request, headers: Object.fromEntries(headers) };
};
