// The parser of uploads: forms that RFC 7578 allows are parsed byte for byte, all others are refused with a reason.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRandom } from "@tidings/testkit/load/random";
import { chooseSeed } from "@tidings/testkit/long";
import { FormError, type FormPart, formLimits, parseForm, readBoundary } from "../../src/http/request/multipart.ts";

const parse = (text: string, boundary = "b") => parseForm(Buffer.from(text, "latin1"), boundary);
const part = (headers: string[], content: string) => `--b\r\n${headers.join("\r\n")}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string) => part([`Content-Disposition: form-data; name="${name}"`], content);

const refused = (work: () => unknown, reason: string) =>
  assert.throws(work, (error) => error instanceof FormError && error.message === reason);

describe("accepted", () => {
  test("fields and files with their names, types and bytes", () => {
    const file = part(
      ['content-disposition: form-data; filename="de.json"; name="files"', "CONTENT-TYPE:  application/json "],
      '{"a":"\xc3\xa4"}',
    );
    const parts = parse(`${field("resourceId", "one")}${file}--b--\r\n`);
    assert.deepEqual(
      parts.map(({ bytes, ...rest }) => ({ ...rest, bytes: bytes.toString("latin1") })),
      [
        { name: "resourceId", fileName: null, contentType: "text/plain", bytes: "one" },
        { name: "files", fileName: "de.json", contentType: "application/json", bytes: '{"a":"\xc3\xa4"}' },
      ],
    );
  });

  test("no parts, empty parts, a closing boundary without a line end, padding behind a boundary", () => {
    assert.deepEqual(parse("--b--"), []);
    assert.equal(parse(`${field("a", "")}--b--`)[0]!.bytes.length, 0);
    assert.equal(parse('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b--')[0]!.bytes.length, 0);
    assert.equal(parse(`--b \t\r\n${field("a", "x").slice(5)}--b-- \r\n`)[0]!.bytes.toString(), "x");
  });

  test("content that looks like the boundary or like headers", () => {
    const content = "\r\n--bb\r\n--\r\n--b x\r\nContent-Disposition: nothing\r\n\r\n--b-";
    assert.equal(parse(`${field("a", content)}--b--`)[0]!.bytes.toString(), content);
  });

  test("names as browsers escape them, and as older clients do; of a path only the file's name", () => {
    assert.equal(parse(`${field("a%22%0D%0Ab%41", "")}--b--`)[0]!.name, 'a"\r\nb%41');
    const named = (given: string) =>
      parse(`${part([`Content-Disposition: form-data; name=a; filename="${given}"`], "")}--b--`)[0]!.fileName;
    assert.equal(named('say \\"hi\\".json'), 'say "hi".json');
    assert.equal(named("C:\\\\texts\\\\de.json"), "de.json");
    assert.equal(named("../../etc/de.json"), "de.json");
    assert.equal(named(""), "");
  });

  test("the boundary out of a header, quoted or not", () => {
    assert.equal(readBoundary("multipart/form-data; boundary=abc"), "abc");
    assert.equal(readBoundary('multipart/form-data; charset=utf-8; Boundary="a b:c"'), "a b:c");
  });
});

describe("refused", () => {
  const disposition = 'Content-Disposition: form-data; name="a"';
  const cases: [string, string][] = [
    ["", "it does not begin with its boundary"],
    ["preamble\r\n--b--", "it does not begin with its boundary"],
    ["--b", "a boundary is not followed by a line end"],
    ["--bx\r\n", "a boundary is not followed by a line end"],
    [field("a", "x"), "it has no closing boundary"],
    [`${field("a", "x")}--b--epilogue`, "it has no closing boundary"],
    [`--b\r\n${disposition}\r\n`, `the headers of a part do not end within ${formLimits.headerBytes} bytes`],
    ["--b\r\n\r\nx\r\n--b--", "a part is not form-data"],
    [`${part(["Content-Disposition: attachment; name=a"], "x")}--b--`, "a part is not form-data"],
    [`${part(["Content-Disposition: form-data"], "x")}--b--`, "a part has no name"],
    [`${part(["Content-Disposition: form-data; name=a; name=b"], "x")}--b--`, "a header has the parameter name twice"],
    [`${part(['Content-Disposition: form-data; name="a'], "x")}--b--`, "a header has a parameter that cannot be read"],
    [`${part([disposition, disposition], "x")}--b--`, "a part has the header Content-Disposition twice"],
    [`${part([disposition, " folded"], "x")}--b--`, "a header cannot be read"],
    [`${part([disposition, "X: \xff"], "x")}--b--`, "a header is not UTF-8"],
    [`${part([disposition, "Content-Transfer-Encoding: base64"], "x")}--b--`, "the encoding base64 is not supported"],
    [`${field("n".repeat(256), "x")}--b--`, "a name is longer than 255 characters"],
    [`${part([`${disposition}; filename="a\0b"`], "x")}--b--`, "a header has the character NUL"],
    [`${field("a", "x").repeat(formLimits.parts + 1)}--b--`, `it has more than ${formLimits.parts} parts`],
    [
      `${part([disposition, ...Array.from({ length: 16 }, (_, i) => `X-${i}: 1`)], "x")}--b--`,
      "a part has more than 16 headers",
    ],
  ];
  for (const [text, reason] of cases) {
    test(reason, () => refused(() => parse(text), reason));
  }

  test("a boundary that is missing, empty, too long or of other characters", () => {
    refused(() => readBoundary("multipart/form-data"), "the Content-Type has no boundary");
    refused(() => readBoundary("multipart/form-data; charset=x"), "the Content-Type has no boundary");
    refused(() => readBoundary('multipart/form-data; boundary=""'), "the boundary has an invalid format");
    refused(
      () => readBoundary(`multipart/form-data; boundary=${"x".repeat(71)}`),
      "the boundary has an invalid format",
    );
    refused(() => readBoundary('multipart/form-data; boundary="a\xff"'), "the boundary has an invalid format");
    refused(() => readBoundary("multipart/form-data; boundary"), "a header has a parameter that cannot be read");
  });
});

describe("properties", () => {
  const { below: randomInt } = createRandom(chooseSeed(1));
  const randomBytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => randomInt(256)));
  const randomPart = (): FormPart => ({
    name: `n${randomInt(1000)}`,
    fileName: randomInt(2) ? null : `f${randomInt(1000)}.json`,
    contentType: "text/plain",
    bytes: randomInt(3) ? randomBytes(randomInt(300)) : Buffer.from("\r\n--b\r\n--\r\n\r\n--b-".slice(randomInt(15))),
  });
  const encode = (parts: FormPart[], boundary: string): Buffer =>
    Buffer.concat([
      ...parts.flatMap(({ name, fileName, bytes }) => [
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
        Buffer.from(`${fileName === null ? "" : `; filename="${fileName}"`}\r\n\r\n`),
        bytes,
        Buffer.from("\r\n"),
      ]),
      Buffer.from(`--${boundary}--\r\n`),
    ]);

  test("what was put in comes out", () => {
    for (let round = 0; round < 500; round++) {
      const parts = Array.from({ length: randomInt(8) }, randomPart);
      const boundary = randomBytes(12).toString("hex");
      assert.deepEqual(parseForm(encode(parts, boundary), boundary), parts);
    }
  });

  test("forms of the platform's own client come out", async () => {
    for (let round = 0; round < 20; round++) {
      const form = new FormData();
      const bytes = randomBytes(randomInt(2_000));
      form.append('we"ird\r\nname', "Grüße");
      form.append("file", new Blob([bytes], { type: "application/json" }), "de_DE.json");
      const request = new Response(form);
      const boundary = readBoundary(request.headers.get("content-type")!);
      const parts = parseForm(Buffer.from(await request.arrayBuffer()), boundary);
      assert.deepEqual(
        parts.map(({ name }) => name),
        ['we"ird\r\nname', "file"],
      );
      assert.equal(parts[0]!.bytes.toString(), "Grüße");
      assert.deepEqual([parts[1]!.fileName, parts[1]!.contentType], ["de_DE.json", "application/json"]);
      assert.ok(parts[1]!.bytes.equals(bytes));
    }
  });

  test("whatever is broken ends in a form or a fault, never in another error", () => {
    const whole = encode([randomPart(), randomPart(), randomPart()], "b");
    for (let round = 0; round < 3_000; round++) {
      const broken = Buffer.from(whole.subarray(0, randomInt(whole.length + 1)));
      for (let i = randomInt(4); i > 0 && broken.length > 0; i--) broken[randomInt(broken.length)] = randomInt(256);
      try {
        parseForm(broken, "b");
      } catch (error) {
        assert.ok(error instanceof FormError, String(error));
      }
    }
  });
});
