// The settings of the delivery through providers, a part of the table in settings.ts.
import { integer } from "./setting-parsers.ts";

export const deliverySettings = {
  TIDINGS_DELIVERY_ATTEMPTS: {
    about: "Maximum attempts to send a message with one integration when errors are transient.",
    fallback: "5",
    parse: integer(1, 20),
  },
  TIDINGS_DELIVERY_FIRST_WAIT: {
    about: "Wait before the first retry, in milliseconds; every wait is multiplied by a random factor of 0.5 to 1.5.",
    fallback: "1000",
    parse: integer(1, 3_600_000),
  },
  TIDINGS_DELIVERY_WAIT_FACTOR: {
    about: "Factor by which each wait between retries is longer than the one before.",
    fallback: "4",
    parse: integer(1, 100),
  },
  TIDINGS_DELIVERY_LONGEST_RETRY_AFTER: {
    about: "Maximum `Retry-After` of a provider, in seconds; a longer one ends the retries with this integration.",
    fallback: "900",
    parse: integer(1, 86_400),
  },
  TIDINGS_DELIVERY_DEADLINE: {
    about: "Deadline of a message, in seconds after its creation. A step's `deadlineSeconds` overrides it.",
    fallback: "86400",
    parse: integer(1, 30 * 86_400),
  },
  TIDINGS_DELIVERY_UNKNOWN_WAIT: {
    about:
      "How long to wait for a receipt after an unknown outcome, in seconds (workflows with `onUnknownOutcome: may_delay`).",
    fallback: "600",
    parse: integer(1, 86_400),
  },
  TIDINGS_DELIVERY_WINDOW: {
    about:
      "Concurrent provider calls in a worker process. One environment gets at most half of them and one integration a " +
      "quarter; several busy environments share them evenly.",
    fallback: "800",
    parse: integer(4, 10_000),
  },
  TIDINGS_PROVIDER_TIMEOUT: {
    about: "Timeout of one provider call, in seconds.",
    fallback: "30",
    parse: integer(1, 300),
  },
  TIDINGS_REQUEST_TIMEOUT: {
    about: "Timeout of one call of an `http_request` step, in seconds, from resolving the name to the last byte.",
    fallback: "10",
    parse: integer(1, 60),
  },
  TIDINGS_CIRCUIT_FAILURES: {
    about: "Failures in a row that open an integration's circuit breaker; then it is probed until it responds.",
    fallback: "5",
    parse: integer(1, 1_000),
  },
  TIDINGS_CIRCUIT_FIRST_PROBE: {
    about: "Wait before the first probe of an open circuit breaker, in seconds; it doubles up to 10 minutes.",
    fallback: "30",
    parse: integer(1, 600),
  },
  TIDINGS_DEAD_LETTER_DAYS: {
    about: "How long dead letters and failed tasks are kept, in days.",
    fallback: "30",
    parse: integer(1, 365),
  },
};
