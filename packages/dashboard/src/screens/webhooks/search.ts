// What the addresses of these screens carry.
import type { StoredReceipt, WebhookDelivery } from "@tidings/contract";
import { choiceParam, pageParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

type Result = StoredReceipt["result"];
type Status = WebhookDelivery["status"];

const results: readonly Result[] = ["applied", "duplicate", "waiting", "ignored", "refused"];
const statuses: readonly Status[] = ["pending", "delivered", "failed"];
export type WebhookTab = "endpoints" | "receipts";

export type WebhooksSearch = { tab?: WebhookTab; integration?: string; result?: Result; page?: number };

export const readWebhooksSearch = ({ tab, integration, result, page }: RawSearch): WebhooksSearch =>
  present({
    tab: choiceParam(tab, ["receipts"]),
    integration: textParam(integration),
    result: choiceParam(result, results),
    page: pageParam(page),
  });

type WebhookSearch = { state?: Status; page?: number };

export const readWebhookSearch = ({ state, page }: RawSearch): WebhookSearch =>
  present({ state: choiceParam(state, statuses), page: pageParam(page) });
