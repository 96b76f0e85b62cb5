import assert from "node:assert/strict";
import { test } from "node:test";
import { findLinks } from "../../src/lib/links.ts";

type Row = { name: string; html?: string; text?: string; links: string[] };

const rows: Row[] = [
  { name: "nothing", links: [] },
  {
    name: "links of the html in order, decoded, each once",
    html: `<a href="https://a.example/?x=1&amp;y=2">a</a><a href=' HTTPS://b.example '>b</a><map><area href=http://c.example></map>
      <a href="https://a.example/?x=1&amp;y=2">again</a>`,
    links: ["https://a.example/?x=1&y=2", "HTTPS://b.example", "http://c.example"],
  },
  {
    name: "only links that lead somewhere on the web",
    html: `<a href="mailto:a@b.example">m</a><a href="tel:1">t</a><a href="#x">x</a><a href="javascript:x()">j</a><a>n</a>
      <a href="https://">empty</a><img src="https://i.example/x.png"><!-- <a href="https://hidden.example">h</a> -->`,
    links: [],
  },
  {
    name: "the text adds what the html does not have",
    html: `<a href="https://a.example/1">one</a>`,
    text: "one (https://a.example/1), and https://b.example/2.",
    links: ["https://a.example/1", "https://b.example/2"],
  },
  {
    name: "punctuation around a link is not part of it, brackets inside are",
    text: `See https://a.example/x_(y), "https://b.example/q?a=1&b=2#c"; *https://c.example/* [https://d.example/z]! https://e.example…`,
    links: [
      "https://a.example/x_(y)",
      "https://b.example/q?a=1&b=2#c",
      "https://c.example/",
      "https://d.example/z",
      "https://e.example",
    ],
  },
  {
    name: "links of chat messages and of texts without spaces",
    text: "<https://a.example/x|here> 请访问https://b.example/y。谢谢",
    links: ["https://a.example/x", "https://b.example/y"],
  },
];

for (const { name, links, ...message } of rows) test(name, () => assert.deepEqual(findLinks(message), links));

test("there is an end to it", () => {
  const text = Array.from({ length: 5_000 }, (_, n) => `https://a.example/${n}`).join(" ");
  assert.equal(findLinks({ text }).length, 200);
  assert.deepEqual(findLinks({ text: `https://a.example/${")".repeat(100_000)}` }), ["https://a.example/"]);
});
