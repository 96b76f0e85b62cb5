// The words that this service itself puts into messages: the links of mails, and the summaries of digests.
import type { Language } from "./languages.ts";

/** By the plural categories of the language (`Intl.PluralRules`). `{count}` is filled in. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

export type MessageWords = {
  unsubscribe: string;
  preferences: string;
  notifications: Forms;
  /** What a list of names ends with: “Ada, Bob and 3 others”. */
  others: Forms;
};

const always = (other: string): Forms => ({ other });
const forms = (one: string, other: string): Forms => ({ one, other });

export const messageWords: Record<Language, MessageWords> = {
  en: {
    unsubscribe: "Unsubscribe",
    preferences: "Preferences",
    notifications: forms("{count} notification", "{count} notifications"),
    others: forms("{count} other", "{count} others"),
  },
  de: {
    unsubscribe: "Abmelden",
    preferences: "Einstellungen",
    notifications: forms("{count} Benachrichtigung", "{count} Benachrichtigungen"),
    others: always("{count} weitere"),
  },
  nl: {
    unsubscribe: "Afmelden",
    preferences: "Voorkeuren",
    notifications: forms("{count} melding", "{count} meldingen"),
    others: forms("{count} ander", "{count} anderen"),
  },
  sv: {
    unsubscribe: "Avsluta prenumerationen",
    preferences: "Inställningar",
    notifications: forms("{count} avisering", "{count} aviseringar"),
    others: always("{count} till"),
  },
  da: {
    unsubscribe: "Afmeld",
    preferences: "Indstillinger",
    notifications: forms("{count} notifikation", "{count} notifikationer"),
    others: forms("{count} anden", "{count} andre"),
  },
  nb: {
    unsubscribe: "Meld deg av",
    preferences: "Innstillinger",
    notifications: forms("{count} varsel", "{count} varsler"),
    others: forms("{count} annen", "{count} andre"),
  },
  fr: {
    unsubscribe: "Se désabonner",
    preferences: "Préférences",
    notifications: forms("{count} notification", "{count} notifications"),
    others: forms("{count} autre", "{count} autres"),
  },
  es: {
    unsubscribe: "Darse de baja",
    preferences: "Preferencias",
    notifications: forms("{count} notificación", "{count} notificaciones"),
    others: always("{count} más"),
  },
  pt: {
    unsubscribe: "Cancelar a subscrição",
    preferences: "Preferências",
    notifications: forms("{count} notificação", "{count} notificações"),
    others: always("mais {count}"),
  },
  pt_BR: {
    unsubscribe: "Cancelar a inscrição",
    preferences: "Preferências",
    notifications: forms("{count} notificação", "{count} notificações"),
    others: always("mais {count}"),
  },
  it: {
    unsubscribe: "Annulla l’iscrizione",
    preferences: "Preferenze",
    notifications: forms("{count} notifica", "{count} notifiche"),
    others: forms("{count} altro", "altri {count}"),
  },
  ro: {
    unsubscribe: "Dezabonare",
    preferences: "Preferințe",
    notifications: { one: "{count} notificare", few: "{count} notificări", other: "{count} de notificări" },
    others: always("încă {count}"),
  },
  pl: {
    unsubscribe: "Wypisz się",
    preferences: "Preferencje",
    notifications: {
      one: "{count} powiadomienie",
      few: "{count} powiadomienia",
      many: "{count} powiadomień",
      other: "{count} powiadomienia",
    },
    others: always("jeszcze {count}"),
  },
  cs: {
    unsubscribe: "Odhlásit odběr",
    preferences: "Předvolby",
    notifications: always("{count} oznámení"),
    others: { one: "{count} další", few: "{count} další", other: "{count} dalších" },
  },
  sk: {
    unsubscribe: "Odhlásiť odber",
    preferences: "Predvoľby",
    notifications: { one: "{count} upozornenie", few: "{count} upozornenia", other: "{count} upozornení" },
    others: { one: "{count} ďalší", few: "{count} ďalší", other: "{count} ďalších" },
  },
  uk: {
    unsubscribe: "Відписатися",
    preferences: "Налаштування",
    notifications: { many: "{count} сповіщень", other: "{count} сповіщення" },
    others: always("ще {count}"),
  },
  ru: {
    unsubscribe: "Отписаться",
    preferences: "Настройки",
    notifications: { one: "{count} уведомление", many: "{count} уведомлений", other: "{count} уведомления" },
    others: always("ещё {count}"),
  },
  hu: {
    unsubscribe: "Leiratkozás",
    preferences: "Beállítások",
    notifications: always("{count} értesítés"),
    others: always("még {count}"),
  },
  fi: {
    unsubscribe: "Peruuta tilaus",
    preferences: "Asetukset",
    notifications: forms("{count} ilmoitus", "{count} ilmoitusta"),
    others: forms("{count} muu", "{count} muuta"),
  },
  tr: {
    unsubscribe: "Abonelikten çık",
    preferences: "Tercihler",
    notifications: always("{count} bildirim"),
    others: always("{count} diğer"),
  },
  ar: {
    unsubscribe: "إلغاء الاشتراك",
    preferences: "التفضيلات",
    notifications: {
      one: "إشعار واحد",
      two: "إشعاران",
      few: "{count} إشعارات",
      many: "{count} إشعارًا",
      other: "{count} إشعار",
    },
    others: { one: "آخر", two: "آخران", other: "{count} آخرون" },
  },
  he: {
    unsubscribe: "ביטול ההרשמה",
    preferences: "העדפות",
    notifications: { one: "התראה אחת", two: "שתי התראות", other: "{count} התראות" },
    others: { one: "עוד אחד", other: "עוד {count}" },
  },
  ja: {
    unsubscribe: "配信を停止する",
    preferences: "設定",
    notifications: always("{count}件の通知"),
    others: always("ほか{count}件"),
  },
  ko: {
    unsubscribe: "수신 거부",
    preferences: "설정",
    notifications: always("알림 {count}개"),
    others: always("그 외 {count}개"),
  },
  zh_CN: {
    unsubscribe: "退订",
    preferences: "偏好设置",
    notifications: always("{count} 条通知"),
    others: always("另外 {count} 个"),
  },
  zh_TW: {
    unsubscribe: "取消訂閱",
    preferences: "偏好設定",
    notifications: always("{count} 則通知"),
    others: always("其他 {count} 個"),
  },
};

const tagOf = (language: Language): string => language.replace("_", "-");

/** Built when they are first needed: each takes longer than the text that it forms. At most one for each language. */
const rules = new Map<Language, { plural: Intl.PluralRules; list: Intl.ListFormat }>();

function rulesOf(language: Language) {
  const found = rules.get(language) ?? {
    plural: new Intl.PluralRules(tagOf(language)),
    // British English has no comma before “and”, as the texts of this service.
    list: new Intl.ListFormat(language === "en" ? "en-GB" : tagOf(language), { type: "conjunction" }),
  };
  rules.set(language, found);
  return found;
}

/** “3 notifications”, “3 Benachrichtigungen”. */
export function countText(language: Language, kind: "notifications" | "others", count: number): string {
  const words = messageWords[language][kind];
  return (words[rulesOf(language).plural.select(count)] ?? words.other).replace("{count}", String(count));
}

/** “Ada, Bob and 3 others”; `rest`: those that are not named. */
export const listText = (language: Language, names: string[], rest: number): string =>
  rulesOf(language).list.format(rest > 0 ? [...names, countText(language, "others", rest)] : names);
