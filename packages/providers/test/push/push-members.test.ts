// The members that pushes have in common reach the place where they have effect, with every provider.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import type { JsonObject } from "@tidings/contract";
import { type Credentials, type Io, type PushMessage, send } from "../../src/index.ts";
import type { HttpReply } from "../../src/kit/reply.ts";
import type { HttpRequest } from "../../src/kit/request.ts";
import { openIo } from "../support.ts";

const id = "0199a1b2-0000-7000-8000-000000000001";
const message: PushMessage = { id, channel: "push", token: "device-1", title: "Hi", body: "There" };
const data = { tidingsMessageId: id };

function pem(type: "rsa" | "ec") {
  return (
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" })
  ).privateKey
    .export({ type: "pkcs8", format: "pem" })
    .toString();
}

const account = { project_id: "app", client_email: "a@example.com", private_key: pem("rsa") };
const credentials: Record<string, Credentials> = {
  fcm: { serviceAccount: JSON.stringify(account) },
  apns: { secretKey: pem("ec"), apiKey: "K", projectName: "T", applicationId: "com.example", secure: true },
  "one-signal": { applicationId: "app", apiKey: "k" },
  expo: { apiKey: "k" },
  "pusher-beams": { instanceId: "i", secretKey: "k" },
  pushpad: { apiKey: "k", applicationId: "7" },
};

const io = openIo({ after });

/** What the provider is sent for these overrides. */
async function sent(providerId: string, extra: JsonObject) {
  const requests: HttpRequest[] = [];
  const call = async (request: HttpRequest): Promise<HttpReply> => {
    requests.push(request);
    const json = { id: "1", name: "n", publishId: "p", access_token: "t", expires_in: 3600, data: { status: "ok" } };
    return { status: 200, headers: {}, text: JSON.stringify(json), json };
  };
  const fake: Io = { ...io, http: call, http2: call };
  const outcome = await send(providerId, { ...message, extra }, credentials[providerId]!, fake);
  const { headers = {}, body = "{}" } = requests.at(-1) ?? {};
  return { outcome, headers, json: JSON.parse(String(body)) as JsonObject };
}

/** By which FCM finds the notification that a later push replaces. */
const [collapse, topic] = [
  { "apns-collapse-id": data.tidingsMessageId },
  { Topic: data.tidingsMessageId.replaceAll("-", "") },
];
const tag = data.tidingsMessageId;
const link = "https://example.com/o/1";
const common = { sound: "bell", badge: 3, icon: "ic_bell", color: "#ff8800", tag: "order-1", channelId: "orders" };
const more = { clickAction: link, priority: "high", ttl: 600, subtitle: "Sub", mutableContent: true };

describe("common members of a push", () => {
  it("reach Android, Apple and browsers through FCM", async () => {
    const { json } = await sent("fcm", { ...common, ...more, fcmOptions: { analyticsLabel: "a" } });
    assert.deepEqual(json.message, {
      token: "device-1",
      notification: { title: "Hi", body: "There" },
      data,
      android: {
        priority: "HIGH",
        ttl: "600s",
        notification: {
          sound: "bell",
          notification_count: 3,
          icon: "ic_bell",
          color: "#ff8800",
          tag: "order-1",
          channel_id: "orders",
          click_action: link,
        },
      },
      apns: {
        headers: { ...collapse, "apns-priority": "10" },
        payload: {
          aps: { sound: "bell", badge: 3, category: link, alert: { subtitle: "Sub" }, "mutable-content": 1 },
        },
      },
      webpush: {
        headers: { ...topic, Urgency: "high", TTL: "600" },
        notification: { icon: "ic_bell", tag: "order-1" },
        fcm_options: { link },
      },
      fcm_options: { analytics_label: "a" },
    });
  });

  it("and the names of Firebase's SDK stand for those of its API", async () => {
    const { json } = await sent("fcm", {
      webPush: { fcmOptions: { link }, notification: { requireInteraction: true } },
      android: { collapseKey: "k", notification: { channelId: "c", bodyLocArgs: ["Ada"] } },
      apns: { payload: { aps: { contentAvailable: 1, alert: { titleLocKey: "T" } }, custom: { keptAsItIs: 1 } } },
    });
    const { webpush, android, apns } = json.message as JsonObject;
    assert.deepEqual(webpush, {
      headers: topic,
      fcm_options: { link },
      notification: { requireInteraction: true, tag },
    });
    assert.deepEqual(android, { collapse_key: "k", notification: { channel_id: "c", body_loc_args: ["Ada"], tag } });
    assert.deepEqual(apns, {
      headers: collapse,
      payload: { aps: { "content-available": 1, alert: { "title-loc-key": "T" } }, custom: { keptAsItIs: 1 } },
    });
  });

  it("name the notification to replace, where an event says so", async () => {
    const named = {
      tag: "order-1",
      apns: { headers: { "apns-collapse-id": "order-1" } },
      webPush: { headers: { topic: "order-1" } },
    };
    const { json } = await sent("fcm", named);
    const { android, apns, webpush } = json.message as JsonObject;
    assert.deepEqual(android, { notification: { tag: "order-1" } });
    assert.deepEqual(apns, { headers: { "apns-collapse-id": "order-1" } });
    assert.deepEqual(webpush, { headers: { topic: "order-1" }, notification: { tag: "order-1" } });
    const { headers } = await sent("apns", {});
    assert.equal(headers["apns-collapse-id"], data.tidingsMessageId);
  });

  it("are data of an FCM message that is only data, and another type is refused", async () => {
    const { json } = await sent("fcm", { type: "data", sound: "bell", badge: 3, priority: "high", data: { a: "1" } });
    assert.deepEqual(json.message, {
      token: "device-1",
      data: { ...data, title: "Hi", body: "There", message: "There", sound: "bell", badge: "3", a: "1" },
      android: { priority: "HIGH" },
      apns: { headers: { ...collapse, "apns-priority": "10" } },
      webpush: { headers: { ...topic, Urgency: "high" } },
    });
    const { json: shown } = await sent("fcm", { type: "notification" });
    assert.deepEqual(shown.message, {
      token: "device-1",
      notification: { title: "Hi", body: "There" },
      data,
      android: { notification: { tag } },
      apns: { headers: collapse },
      webpush: { headers: topic, notification: { tag } },
    });
    const { outcome, json: none } = await sent("fcm", { type: "voice" });
    assert.ok(outcome.kind === "rejected" && /override type/.test(outcome.reason));
    assert.deepEqual(none, {});
  });

  it("reach the payload and the headers of APNs", async () => {
    const { json, headers } = await sent("apns", { ...common, ...more, threadId: "t", expiry: 1767323045 });
    assert.deepEqual(json, {
      ...data,
      aps: {
        alert: { title: "Hi", body: "There", subtitle: "Sub" },
        sound: "bell",
        badge: 3,
        category: link,
        "thread-id": "t",
        "mutable-content": 1,
      },
      // Apple does not use them, but the app might.
      icon: "ic_bell",
      color: "#ff8800",
      channelId: "orders",
      ttl: 600,
    });
    assert.deepEqual(
      ["apns-priority", "apns-collapse-id", "apns-expiration", "apns-topic"].map((name) => headers[name]),
      ["10", "order-1", "1767323045", "com.example"],
    );
  });

  it("reach OneSignal under its names", async () => {
    const { json } = await sent("one-signal", { ...common, ...more });
    const { app_id, include_subscription_ids, target_channel, idempotency_key, data: _, ...rest } = json;
    assert.deepEqual(rest, {
      headings: { en: "Hi" },
      contents: { en: "There" },
      subtitle: { en: "Sub" },
      ios_sound: "bell",
      android_sound: "bell",
      ios_badgeType: "SetTo",
      ios_badgeCount: 3,
      small_icon: "ic_bell",
      android_accent_color: "FFff8800",
      collapse_id: "order-1",
      web_push_topic: "order-1",
      existing_android_channel_id: "orders",
      url: link,
      priority: 10,
      ttl: 600,
      mutable_content: true,
    });
    const uuid = "0199a1b2-0000-7000-8000-000000000002";
    const { json: other } = await sent("one-signal", { channelId: uuid, icon: link });
    assert.deepEqual([other.android_channel_id, other.large_icon, other.chrome_web_icon], [uuid, link, link]);
  });

  it("reach Expo, which has most of them by the same names", async () => {
    const { json } = await sent("expo", { ...common, priority: "high", image: link, categoryId: "c" });
    assert.deepEqual(json, {
      to: "device-1",
      title: "Hi",
      body: "There",
      data,
      ...common,
      priority: "high",
      richContent: { image: link },
      categoryId: "c",
    });
  });

  it("reach all platforms of Pusher Beams", async () => {
    const { json } = await sent("pusher-beams", { ...common, ...more });
    assert.deepEqual(json, {
      users: ["device-1"],
      apns: {
        ...data,
        aps: {
          alert: { title: "Hi", body: "There", subtitle: "Sub" },
          sound: "bell",
          badge: 3,
          category: link,
          "mutable-content": 1,
        },
      },
      fcm: {
        notification: {
          title: "Hi",
          body: "There",
          sound: "bell",
          icon: "ic_bell",
          color: "#ff8800",
          tag: "order-1",
          android_channel_id: "orders",
          click_action: link,
        },
        data,
        priority: "high",
        time_to_live: 600,
      },
      web: {
        notification: { title: "Hi", body: "There", icon: "ic_bell", deep_link: link },
        data,
        time_to_live: 600,
      },
    });
  });

  it("reach Pushpad under its names", async () => {
    const { json } = await sent("pushpad", { icon: link, image: link, clickAction: link, requireInteraction: true });
    assert.deepEqual(json.notification, {
      title: "Hi",
      body: "There",
      custom_data: JSON.stringify(data),
      icon_url: link,
      image_url: link,
      target_url: link,
      require_interaction: true,
    });
  });
});
