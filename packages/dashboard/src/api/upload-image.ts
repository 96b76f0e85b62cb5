// Images of emails and brands, stored by the service.
import type { CallInput } from "@tidings/contract";
import { callOperation } from "./client.ts";

/** Returns the address of the stored image. The service refuses other files with the reason. */
export async function uploadImage(file: File): Promise<string> {
  const form = new FormData();
  form.append("file", file);
  // The contract describes the form as the service reads it.
  const body = form as unknown as CallInput<"assets.create">["body"];
  return (await callOperation("assets.create", { body })).url;
}
