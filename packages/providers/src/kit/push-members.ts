// Where the members that pushes have in common go, provider by provider: `sound`, `badge`, `icon`, `color`, `tag`,
// `image`, `channelId`, `clickAction`, `priority`, `ttl` and others, under any spelling. Each provider has its own
// place for each platform, and at the root of a request they have no effect or are refused. What a platform has no
// place for is left out there; a member that is not in a provider's table goes to the provider unchanged.

import type { JsonObject } from "@tidings/contract";
import type { OverrideNames } from "./override-names.ts";

type Moves = NonNullable<OverrideNames["moved"]>;

const isAddress = (value: unknown): boolean => typeof value === "string" && /^https?:\/\//i.test(value);

/** A list, or a text that holds one as JSON: arguments of localised texts come in both forms. */
function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return [value];
  }
}

/** Apple's number for a word; a number that was given stays. */
const applePriority = (value: unknown): string =>
  value === "high" ? "10" : /^\d+$/.test(`${value}`) ? `${value}` : "5";

/** What Apple's payload calls them, inside `aps`. */
const apsMoves: Readonly<Record<string, (value: unknown) => JsonObject>> = {
  title: (title) => ({ alert: { title } }),
  body: (body) => ({ alert: { body } }),
  subtitle: (subtitle) => ({ alert: { subtitle } }),
  titleLocKey: (key) => ({ alert: { "title-loc-key": key } }),
  titleLocArgs: (list) => ({ alert: { "title-loc-args": listOf(list) } }),
  bodyLocKey: (key) => ({ alert: { "loc-key": key } }),
  bodyLocArgs: (list) => ({ alert: { "loc-args": listOf(list) } }),
  sound: (sound) => ({ sound }),
  badge: (badge) => ({ badge }),
  category: (category) => ({ category }),
  categoryId: (category) => ({ category }),
  clickAction: (category) => ({ category }),
  threadId: (id) => ({ "thread-id": id }),
  contentAvailable: (is) => ({ "content-available": is ? 1 : 0 }),
  mutableContent: (is) => ({ "mutable-content": is ? 1 : 0 }),
  targetContentId: (id) => ({ "target-content-id": id }),
  interruptionLevel: (level) => ({ "interruption-level": level }),
  relevanceScore: (score) => ({ "relevance-score": score }),
};

// biome-ignore format: the names of one object are grouped
const apsNames = [
  "badge", "sound", "thread-id", "category", "content-available", "mutable-content", "target-content-id",
  "interruption-level", "relevance-score", "filter-criteria", "stale-date", "content-state", "timestamp", "event",
  ...["title", "subtitle", "body", "launch-image", "title-loc-key", "title-loc-args", "subtitle-loc-key",
    "subtitle-loc-args", "loc-key", "loc-args"].map((name) => `alert.${name}`),
];

const moved = (table: Moves, wrap: (members: JsonObject) => JsonObject): Moves =>
  Object.fromEntries(Object.entries(table).map(([name, move]) => [name, (value) => wrap(move(value))]));

/** Both tables: a member that is in both goes to both places. */
function both(one: Moves, other: Moves): Moves {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(
    names.map((name) => [name, (value) => ({ ...one[name]?.(value), ...other[name]?.(value) })]),
  );
}

const onAndroid = (name: string) => (value: unknown) => ({ android: { notification: { [name]: value } } });
const onWeb = (name: string, value: unknown) => ({ webpush: { notification: { [name]: value } } });

const fcmMoves: Moves = {
  // A notification's own members are in one place for all platforms.
  title: (title) => ({ notification: { title } }),
  body: (body) => ({ notification: { body } }),
  image: (image) => ({ notification: { image } }),
  imageUrl: (image) => ({ notification: { image } }),
  sound: onAndroid("sound"),
  color: onAndroid("color"),
  channelId: onAndroid("channel_id"),
  titleLocKey: onAndroid("title_loc_key"),
  titleLocArgs: (list) => onAndroid("title_loc_args")(listOf(list)),
  bodyLocKey: onAndroid("body_loc_key"),
  bodyLocArgs: (list) => onAndroid("body_loc_args")(listOf(list)),
  // A browser's badge is a picture, a phone's is a number.
  badge: (badge) => (isAddress(badge) ? onWeb("badge", badge) : onAndroid("notification_count")(badge)),
  icon: (icon) => ({ ...onAndroid("icon")(icon), ...onWeb("icon", icon) }),
  tag: (tag) => ({ ...onAndroid("tag")(tag), ...onWeb("tag", tag) }),
  clickAction: (action) => ({
    ...onAndroid("click_action")(action),
    ...(isAddress(action) ? { webpush: { fcm_options: { link: action } } } : {}),
  }),
  priority: (value) => {
    const isHigh = value === "high";
    return {
      android: { priority: isHigh ? "HIGH" : "NORMAL" },
      apns: { headers: { "apns-priority": applePriority(value) } },
      webpush: { headers: { Urgency: isHigh ? "high" : "normal" } },
    };
  },
  ttl: (seconds) => ({
    android: { ttl: /^\d+$/.test(`${seconds}`) ? `${seconds}s` : seconds },
    webpush: { headers: { TTL: `${seconds}` } },
  }),
  expiration: (at) => ({ apns: { headers: { "apns-expiration": `${at}` } } }),
};

const { title: _title, body: _body, clickAction: _action, badge: apsBadge, ...apsOnly } = apsMoves;
const fcmApple: Moves = moved(
  { ...apsOnly, clickAction: apsMoves.category!, badge: (badge) => (isAddress(badge) ? {} : apsBadge!(badge)) },
  (aps) => ({ apns: { payload: { aps } } }),
);

// biome-ignore format: the names of one object are grouped
const fcmNames = [
  "notification.title", "notification.body", "notification.image", "data", "topic", "condition", "fcm_options.analytics_label",
  "apns.headers", "apns.fcm_options.analytics_label", "apns.fcm_options.image", "apns.live_activity_token",
  ...apsNames.map((name) => `apns.payload.aps.${name}`),
  "webpush.headers", "webpush.data", "webpush.notification", "webpush.fcm_options.link", "webpush.fcm_options.analytics_label",
  ...["collapse_key", "priority", "ttl", "restricted_package_name", "data", "direct_boot_ok",
    "fcm_options.analytics_label"].map((name) => `android.${name}`),
  ...["title", "body", "icon", "color", "sound", "tag", "click_action", "body_loc_key", "body_loc_args", "title_loc_key",
    "title_loc_args", "channel_id", "ticker", "sticky", "event_time", "local_only", "notification_priority",
    "default_sound", "default_vibrate_timings", "default_light_settings", "vibrate_timings", "visibility",
    "notification_count", "light_settings", "image"].map((name) => `android.notification.${name}`),
];

export const fcmMembers: OverrideNames = { members: fcmNames, moved: both(fcmMoves, fcmApple) };

/**
 * A message without a notification shows nothing automatically: the app creates one from its data, and finds the
 * members there.
 */
export const fcmDataMembers: OverrideNames = {
  members: fcmNames,
  moved: Object.fromEntries(
    Object.keys(fcmMembers.moved ?? {}).map((name) => [
      name,
      (value) =>
        ["priority", "ttl", "expiration", "contentAvailable"].includes(name)
          ? (fcmMembers.moved?.[name]?.(value) ?? {})
          : { data: { [name]: typeof value === "string" ? value : JSON.stringify(value) } },
    ]),
  ),
};

/** What Apple accepts as headers, in addition to the payload. */
const apnsHeaders: Readonly<Record<string, (value: unknown) => [name: string, value: string]>> = {
  priority: (value) => ["apns-priority", applePriority(value)],
  expiry: (at) => ["apns-expiration", `${at}`],
  expiration: (at) => ["apns-expiration", `${at}`],
  collapseId: (id) => ["apns-collapse-id", `${id}`],
  tag: (id) => ["apns-collapse-id", `${id}`],
  pushType: (type) => ["apns-push-type", `${type}`],
  topic: (topic) => ["apns-topic", `${topic}`],
};

/** Members of an override to Apple, parted into the headers of the request and what belongs into the payload. */
export function partApnsMembers(extra: JsonObject): { headers: Record<string, string>; payload: JsonObject } {
  const isHeader = (name: string): boolean => Object.hasOwn(apnsHeaders, name);
  const entries = Object.entries(extra);
  const headers = entries.flatMap(([name, value]) => {
    const header = isHeader(name) && value !== null ? apnsHeaders[name]?.(value) : undefined;
    return header ? [header] : [];
  });
  return {
    headers: Object.fromEntries(headers),
    payload: Object.fromEntries(entries.filter(([name]) => !isHeader(name))),
  };
}

export const apnsMembers: OverrideNames = {
  members: [...apsNames.map((name) => `aps.${name}`), ...Object.keys(apnsHeaders)],
  moved: moved(apsMoves, (aps) => ({ aps })),
};

export const expoMembers: OverrideNames = {
  // biome-ignore format: the names of one object are grouped
  members: [
    "title", "body", "subtitle", "data", "ttl", "expiration", "priority", "sound", "badge", "interruptionLevel", "channelId",
    "icon", "richContent.image", "categoryId", "mutableContent", "_contentAvailable",
  ],
  moved: {
    image: (image) => ({ richContent: { image } }),
    imageUrl: (image) => ({ richContent: { image } }),
    category: (categoryId) => ({ categoryId }),
    clickAction: (categoryId) => ({ categoryId }),
  },
};

export const oneSignalMembers: OverrideNames = {
  // biome-ignore format: the names of one object are grouped
  members: [
    "name", "template_id", "custom_data", "headings", "contents", "ios_attachments", "big_picture", "small_icon",
    "large_icon", "ios_sound", "android_sound", "ios_category", "ios_badgeType", "ios_badgeCount", "ios_interruption_level",
    "ios_relevance_score", "android_channel_id", "existing_android_channel_id", "android_accent_color", "android_visibility",
    "android_group", "chrome_web_icon", "chrome_web_image", "chrome_web_badge", "chrome_icon", "firefox_icon", "web_url",
    "app_url", "url", "collapse_id", "web_push_topic", "thread_id", "mutable_content", "content_available",
    "target_content_identifier", "apns_push_type_override", "ttl", "send_after", "delayed_option",
    "delivery_time_of_day", "throttle_rate_per_minute", "buttons", "web_buttons",
  ],
  moved: {
    title: (en) => ({ headings: { en } }),
    body: (en) => ({ contents: { en } }),
    subtitle: (en) => ({ subtitle: typeof en === "string" ? { en } : en }),
    sound: (sound) => ({ ios_sound: sound, android_sound: sound }),
    badge: (count) =>
      isAddress(count) ? { chrome_web_badge: count } : { ios_badgeType: "SetTo", ios_badgeCount: count },
    icon: (icon) =>
      isAddress(icon) ? { large_icon: icon, chrome_web_icon: icon, firefox_icon: icon } : { small_icon: icon },
    image: (image) => ({ big_picture: image, ios_attachments: { image }, chrome_web_image: image }),
    // Android's own form is #RRGGBB, OneSignal's is ARGB without the mark.
    color: (color) => ({ android_accent_color: `${color}`.replace(/^#([\da-f]{6})$/i, "FF$1").replace("#", "") }),
    // A channel that was created in OneSignal has a UUID, one that the app created has the app's name.
    channelId: (id) =>
      /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(`${id}`)
        ? { android_channel_id: id }
        : { existing_android_channel_id: id },
    tag: (tag) => ({ collapse_id: tag, web_push_topic: tag }),
    clickAction: (action) => (isAddress(action) ? { url: action } : { ios_category: action }),
    category: (category) => ({ ios_category: category }),
    categoryId: (category) => ({ ios_category: category }),
    interruptionLevel: (level) => ({ ios_interruption_level: level }),
    relevanceScore: (score) => ({ ios_relevance_score: score }),
    priority: (value) => ({ priority: Number(applePriority(value)) }),
  },
};

const onBeams = (name: string) => (value: unknown) => ({ fcm: { notification: { [name]: value } } });

const beamsMoves: Moves = {
  title: (title) => ({ fcm: { notification: { title } }, web: { notification: { title } } }),
  body: (body) => ({ fcm: { notification: { body } }, web: { notification: { body } } }),
  sound: onBeams("sound"),
  color: onBeams("color"),
  tag: onBeams("tag"),
  image: onBeams("image"),
  channelId: onBeams("android_channel_id"),
  titleLocKey: onBeams("title_loc_key"),
  titleLocArgs: (list) => onBeams("title_loc_args")(listOf(list)),
  bodyLocKey: onBeams("body_loc_key"),
  bodyLocArgs: (list) => onBeams("body_loc_args")(listOf(list)),
  icon: (icon) => ({ ...onBeams("icon")(icon), web: { notification: { icon } } }),
  clickAction: (action) => ({
    ...onBeams("click_action")(action),
    ...(isAddress(action) ? { web: { notification: { deep_link: action } } } : {}),
  }),
  priority: (value) => ({ fcm: { priority: value === "high" ? "high" : "normal" } }),
  ttl: (seconds) => ({ fcm: { time_to_live: seconds }, web: { time_to_live: seconds } }),
};

export const beamsMembers: OverrideNames = {
  // biome-ignore format: the names of one object are grouped
  members: [
    ...apsNames.map((name) => `apns.aps.${name}`), "fcm.data", "fcm.priority", "fcm.time_to_live", "fcm.collapse_key",
    ...["title", "body", "icon", "color", "sound", "tag", "image", "click_action", "android_channel_id", "body_loc_key",
      "body_loc_args", "title_loc_key", "title_loc_args"].map((name) => `fcm.notification.${name}`),
    "web.data", "web.time_to_live",
    ...["title", "body", "icon", "deep_link", "hide_notification_if_site_has_focus"].map((name) => `web.notification.${name}`),
  ],
  moved: both(
    beamsMoves,
    moved(apsMoves, (aps) => ({ apns: { aps } })),
  ),
};

export const pushpadMembers: OverrideNames = {
  // biome-ignore format: the names of one object are grouped
  members: [
    "title", "body", "target_url", "icon_url", "badge_url", "image_url", "ttl", "require_interaction", "silent", "urgent",
    "custom_data", "custom_metrics", "actions.title", "actions.target_url", "actions.icon", "actions.action", "starred",
    "send_at",
  ],
  moved: {
    icon: (url) => ({ icon_url: url }),
    badge: (url) => ({ badge_url: url }),
    image: (url) => ({ image_url: url }),
    clickAction: (url) => ({ target_url: url }),
    priority: (value) => ({ urgent: value === "high" }),
  },
};
