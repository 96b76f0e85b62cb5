// How many messages the subscriber whose token a request has wants at most.
import type { Input, Output } from "@tidings/contract";
import type { Ctx, InboxCaller } from "../../context.ts";
import { updateAttention, viewAttention } from "../subscribers/subscriber-attention.ts";

export async function retrieve(ctx: Ctx, { subscriber }: InboxCaller): Promise<Output<"inbox.retrieveAttention">> {
  return { data: await viewAttention(ctx, subscriber) };
}

export async function update(
  ctx: Ctx,
  { subscriber }: InboxCaller,
  { body }: Input<"inbox.updateAttention">,
): Promise<Output<"inbox.updateAttention">> {
  return { data: await updateAttention(ctx, subscriber, body.channels) };
}
