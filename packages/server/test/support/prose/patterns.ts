// The words that prose does not use, with what to write instead. Most are literal translations: correct, and yet no
// native writer would choose them. Each pattern has a text in which it is found and one in which it is not.

export type Pattern = {
  name: string;
  pattern: RegExp;
  instead: string;
  found: string;
  fine: string;
  /** Paths in which the word is a technical term. */
  except?: RegExp;
};

/** A space in a pattern also stands for a line break. */
const words = (source: string, flags = "g"): RegExp => new RegExp(source.replaceAll(" ", "\\s+"), flags);

const things =
  "message|step|row|line|recipient|request|event|notification|task|process|page|run|environment|subscriber|thread|cell|" +
  "file|batch|call|delivery|item|integration|workflow|user|person|member";

const created =
  "key|link|version|topic|workflow|subscriber|message|notification|row|job|run|task|environment|integration|event|session|" +
  "token|table|index|file|copy|list|entry|connection|response|scenario|folder|account|subscription|layout|webhook";

export const patterns: Pattern[] = [
  {
    name: "under way",
    pattern: words("\\bunder way\\b"),
    instead: "in progress, in flight, running",
    found: "the runs under way",
    fine: "the runs in progress",
  },
  {
    name: "answer",
    pattern: words("\\b[Aa]nswer(?:s|ed|ing)?\\b"),
    instead: "returns, responds with; the response",
    found: "It answers with 404.",
    fine: "It returns 404.",
  },
  {
    name: "beside",
    pattern: words("\\b[Bb]eside\\b"),
    instead: "in addition to, next to, compared with",
    found: "one beside the other",
    fine: "one next to the other, besides",
  },
  {
    name: "also for even",
    pattern: words(
      "\\b[Aa]lso (?:when|if|while|where)\\b|[,;(] ?also (?:in|after|without|those|over|of|with|for|on|from|by)\\b",
    ),
    instead: "even when, even if, including",
    found: "It is retried, also when the process ends.",
    fine: "It is retried even when the process ends, and it is also in the log.",
  },
  {
    name: "told",
    pattern: words("\\b(?:told|tells|[Hh]ears? of|heard of)\\b"),
    instead: "receives, shows, reports, is notified of",
    found: "The client is told.",
    fine: "The client is notified. You can tell them apart.",
  },
  {
    name: "stands",
    pattern: words("\\b(?:stands?|stood)\\b(?! for\\b)(?! out\\b)"),
    instead: "is, is listed, is defined, appears",
    found: "The reason stands in the log.",
    fine: "The reason is in the log; it stands for an id.",
  },
  {
    name: "is no",
    pattern: words(
      "(?<!\\b[Tt]here\\s)(?<!\\b[Tt]here\\s\\w{2,4}\\s)\\b(?:is|are|was|were) no (?!longer\\b|more\\b|less\\b|fewer\\b|later\\b|earlier\\b|need\\b)",
    ),
    instead: "is not a",
    found: "a request that is no GET",
    fine: "a request that is not a GET; there is no key; it is no longer used",
  },
  {
    name: "of its own",
    pattern: words("\\bof (?:its|their|one's|our|your) own\\b"),
    instead: "its own X, a separate X",
    found: "a connection of its own",
    fine: "its own connection",
  },
  {
    name: "by itself",
    pattern: words("\\bby (?:itself|themselves)\\b"),
    instead: "automatically",
    found: "It reconnects by itself.",
    fine: "It reconnects automatically.",
  },
  {
    name: "fronted Of",
    pattern: words("(?:^|[.;:!?|] |\\n\\s*\\n)Of (?!course\\b)"),
    instead: "put the object last: For a subscriber, … are searched",
    found: "It is fast. Of a person, the newest are found.",
    fine: "It is fast. For a person, the newest are found.",
  },
  {
    name: "one a message",
    pattern: words(
      `\\b(?:one|two|three|four|five|once|twice|\\d[\\d,.]*\\d|\\d|a row|a line|an entry|a task|kB|bytes|characters|statements?|rows?|calls?|quer(?:y|ies)|times) an? (?:${things})\\b`,
    ),
    instead: "one per message",
    found: "one a message",
    fine: "one per message, three times a minute",
  },
  {
    name: "in place of",
    pattern: words("\\bin place of\\b"),
    instead: "instead of",
    found: "in place of the old one",
    fine: "instead of the old one, changed in place",
  },
  {
    name: "any more",
    pattern: words("\\bany more\\b(?! than\\b)"),
    instead: "no longer",
    found: "It is not used any more.",
    fine: "It is no longer used.",
  },
  {
    name: "becomes of",
    pattern: words("\\b(?:becomes?|became|become) of\\b"),
    instead: "what happens to it, its outcome",
    found: "what became of it",
    fine: "what happened to it",
  },
  {
    name: "made for created",
    pattern: words(
      `(?<!\\b(?:calls?|requests?|decisions?|changes?|choices?|attempts?|progress|connections?|promises?)\\s)\\b(?:is|are|was|were|be|been|being) made\\b(?! (?:of|up|by hand|in place|primary|public)\\b)|\\b[Mm]akes? (?:an?|the|another|one|new|its|two) (?:new |second |first )?(?:${created})s?\\b`,
    ),
    instead: "create, generate, issue",
    found: "The topic is made first. It makes a key.",
    fine: "The topic is created first. The call is made later. It makes the list shorter".replace(
      "the list shorter",
      "lists shorter",
    ),
  },
  {
    name: "take for accept",
    pattern: words(
      "\\b(?:[Tt]ake|takes|taken|taking|took) (?:(?:it |them |one )?(?:off|away)|a publish back)\\b|\\b[Pp]ublish(?:es)? (?:is|are|was|were) taken back\\b|\\btakes? (?:no|only|any|both|an?|the) (?:list|object|body|file|URL|id|key|filter|same|values?|parameters?|options?|names?)\\b",
    ),
    instead: "accepts, supports; undo, roll back; remove",
    found: "It takes a list. A publish is taken back.",
    fine: "It accepts a list. A publish is rolled back. It takes a second.",
  },
  {
    name: "fault",
    pattern: words("\\b[Ff]ault(?:s|y)?\\b"),
    instead: "error, invalid row",
    // Chaos runs have no other word for what they inject.
    except: /^scripts\/(?:auditor|chaos)\/|\/chaos\//,
    found: "faulty lines",
    fine: "invalid rows, by default",
  },
  {
    name: "go on",
    pattern: words("\\b(?:[Gg]o|goes|going|went) on\\b"),
    instead: "continue, proceed, resume",
    found: "The run goes on.",
    fine: "The run continues.",
  },
  {
    name: "is there",
    pattern: words("\\b(?:is|are) there\\b(?! (?:an?|any|no|enough|more)\\b)|\\bthat there (?:is|are)\\b"),
    instead: "exists, is available, is ready",
    found: "when the message is there",
    fine: "when the message exists, or there is a message",
  },
  {
    name: "as it is",
    pattern: words("\\bas (?:it is|they are|it was|they were)\\b(?! \\w+(?:ed|en|ing|nt|de)\\b)(?! in\\b)"),
    instead: "unchanged",
    found: "The text stays as it is.",
    fine: "The text stays unchanged, as it is written.",
  },
  {
    name: "further",
    pattern: words("\\b[Ff]urther\\b(?! (?:down|up|below|away|than|back)\\b)"),
    instead: "additional, other, more",
    found: "a further thread",
    fine: "an additional thread, further down",
  },
  {
    name: "looked at",
    pattern: words("\\blook(?:s|ed|ing) (?:at|for)\\b"),
    instead: "scanned, searched, inspected, examined",
    found: "Rows are looked at.",
    fine: "Rows are scanned. Look at the log.",
  },
  {
    name: "spelling",
    pattern: words(
      "\\b[Pp]rocessor time\\b|\\b[Tt]ime-outs?\\b|\\b[Ss]et-up\\b|\\bwhite space\\b|(?<![.\\w/-])html\\b(?![.\\w/-])",
    ),
    instead: "CPU time, timeout, setup, whitespace, HTML",
    found: "a time-out",
    fine: "a timeout, HTML, index.html",
  },
  {
    name: "peer API",
    pattern: words("\\bpeer API\\b"),
    instead: "Novu",
    found: "the peer API",
    fine: "Novu",
  },
];

/** Names of limits have the prefix `max` or `min`. */
export const limitNames = /\b(?:const|let|function|type) ((?:most|longest|least|fewest|shortest)(?!Of)[A-Z]\w*)/g;
