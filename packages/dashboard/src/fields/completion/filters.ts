// The filters that completion offers, each with how it is written and what comes of it. The list is a choice: templates
// may use all filters of docs/templates.md.

/** `use`: what is inserted after the bar. */
export type Filter = { name: string; use: string; example: string };

export const filters: readonly Filter[] = [
  { name: "default", use: 'default: "there"', example: "nothing → there" },
  { name: "capitalize", use: "capitalize", example: "ada → Ada" },
  { name: "upcase", use: "upcase", example: "ada → ADA" },
  { name: "downcase", use: "downcase", example: "ADA → ada" },
  { name: "truncate", use: "truncate: 40", example: "the first 40 characters" },
  { name: "truncatewords", use: "truncatewords: 8", example: "the first 8 words" },
  { name: "date", use: 'date: "%d %B %Y"', example: "31 December 2026" },
  { name: "pluralize", use: 'pluralize: "item", "items"', example: "3 → 3 items" },
  { name: "toSentence", use: 'toSentence: "name", 2', example: "Ada, Bob and 3 others" },
  { name: "join", use: 'join: ", "', example: "a list → a, b, c" },
  { name: "size", use: "size", example: "the length of a list or text" },
  { name: "first", use: "first", example: "the first of a list" },
  { name: "last", use: "last", example: "the last of a list" },
  { name: "map", use: 'map: "name"', example: "one member of each in a list" },
  { name: "where", use: 'where: "paid", true', example: "those of a list that match" },
  { name: "sort", use: 'sort: "name"', example: "a list in order" },
  { name: "uniq", use: "uniq", example: "a list without duplicates" },
  { name: "sum", use: 'sum: "price"', example: "added up" },
  { name: "round", use: "round: 2", example: "4.567 → 4.57" },
  { name: "plus", use: "plus: 1", example: "4 → 5" },
  { name: "minus", use: "minus: 1", example: "4 → 3" },
  { name: "times", use: "times: 100", example: "4 → 400" },
  { name: "divided_by", use: "divided_by: 100.0", example: "1250 → 12.5" },
  { name: "replace", use: 'replace: "a", "b"', example: "replaces every a" },
  { name: "append", use: 'append: "!"', example: "ada → ada!" },
  { name: "prepend", use: 'prepend: "#"', example: "12 → #12" },
  { name: "strip_html", use: "strip_html", example: "text without tags" },
  { name: "newline_to_br", use: "newline_to_br", example: "lines as lines of HTML" },
  { name: "url_encode", use: "url_encode", example: "for a part of a link" },
  { name: "escape", use: "escape", example: "for text inside HTML" },
];
