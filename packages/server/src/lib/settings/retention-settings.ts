// The settings of the retention, a part of the table in settings.ts.
import { integer, word } from "./setting-parsers.ts";

export const retentionSettings = {
  TIDINGS_RETENTION_DAYS: {
    about:
      "How long events, notifications and messages of all channels but in-app are kept, in days; at least " +
      "`TIDINGS_MAX_WAIT_DAYS` and `TIDINGS_DEAD_LETTER_DAYS`. Environments can have their own numbers for this and the " +
      "next four (docs/retention.md).",
    fallback: "90",
    parse: integer(3, 3_650),
  },
  TIDINGS_RETENTION_IN_APP_DAYS: {
    about:
      "How long in-app messages are kept, in days; at least `TIDINGS_RETENTION_DAYS` and `TIDINGS_MAX_SNOOZE_DAYS`, which " +
      "raise the default.",
    fallback: "365",
    parse: integer(3, 3_650),
  },
  TIDINGS_RETENTION_CAPTURED_DAYS: {
    about: "How long captured messages are kept, in days; the newest 10,000 of an environment at most.",
    fallback: "30",
    parse: integer(1, 3_650),
  },
  TIDINGS_RETENTION_STATISTICS_DAYS: {
    about: "How long hourly statistics are kept, in days.",
    fallback: "400",
    parse: integer(3, 3_650),
  },
  TIDINGS_RETENTION_MAX_DAYS: {
    about: "The longest retention that an environment can choose for a class of data, in days.",
    fallback: "3650",
    parse: integer(3, 3_650),
  },
  TIDINGS_RETENTION_STEP: {
    about:
      "`day` deletes rows on the day after their last one. `month` waits until a whole month can go, so that most rows go by " +
      "dropping partitions: for installations with more than 10 million notifications a day (docs/retention.md).",
    fallback: "day",
    parse: word(["day", "month"]),
  },
};
