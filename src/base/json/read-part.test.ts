import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectToFinish } from "../../../test/kit/expect-to-finish.ts";
import { readPart } from "./read-part.ts";

const why = (value: unknown): string => {
  const reading = readPart(value);
  return reading.ok ? "taken" : reading.why;
};
const png = { kind: "image", mediaType: "image/png" };

describe("readPart", () => {
  it("returns a valid part as it is, frozen", () => {
    for (const part of [
      { kind: "text", text: "" },
      { ...png, data: "AA==" },
      { ...png, data: "AAA=", name: "a.png" },
      { ...png, data: "AAAA", mediaType: "IMAGE/PNG" },
      { kind: "audio", mediaType: "audio/x-wav", data: "+/+/" },
      { kind: "file", mediaType: "image/png", data: "AAAA" },
      { kind: "file", mediaType: "application/vnd.ms-excel", url: "https://a.example/b.xls" },
    ]) {
      const reading = readPart(part);
      expect(reading).toEqual({ ok: true, part });
      expect(Object.isFrozen(reading.ok && reading.part)).toBe(true);
    }
  });

  it("explains why a part is invalid", () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [null, "is not an object"],
      [[], "is not an object"],
      ["text", "is not an object"],
      [{ type: "text", text: "a" }, "no known `kind`"],
      [{ kind: "text" }, "a text part without `text`"],
      [{ kind: "text", text: "a", data: "AAAA" }, 'a field "data" that a text part cannot have'],
      [{ ...png, data: "AAAA", size: 1 }, 'a field "size" that a media part cannot have'],
      [{ kind: "image", data: "AAAA" }, "no `mediaType`"],
      [{ kind: "image", mediaType: "png", data: "AAAA" }, "no `mediaType`"],
      [{ kind: "image", mediaType: "image/png\r\nx: y", data: "AAAA" }, "no `mediaType`"],
      [
        { kind: "audio", mediaType: "image/png", data: "AAAA" },
        'of kind "audio", but its mediaType is "image/png"',
      ],
      [{ ...png, data: "AAAA", name: "" }, "a `name` that is not a string"],
      [{ ...png, data: "AAAA", name: "x".repeat(256) }, "a `name` that is not a string"],
      [{ ...png }, "either `data` or `url`"],
      [{ ...png, data: "AAAA", url: "https://a.example" }, "either `data` or `url`"],
      [{ ...png, data: "" }, "no bytes"],
      [{ ...png, data: 1 }, "no bytes"],
      [{ ...png, url: "http://a.example/a.png" }, "not an https address"],
      [{ ...png, url: "https://" }, "not an https address"],
      [{ ...png, url: "data:image/png;base64,AAAA" }, "not an https address"],
      [{ ...png, url: `https://a.example/${"x".repeat(8_192)}` }, "not an https address"],
    ];
    for (const [value, words] of cases) expect(why(value)).toContain(words);
  });
});

describe("part data", () => {
  it("accepts the base64 form of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        expect(why({ ...png, data: Buffer.from(bytes).toString("base64") })).toBe("taken");
      }),
    );
  });

  it("rejects base64 with missing, extra or foreign characters", () => {
    for (const data of [
      "A",
      "AA",
      "AAA",
      "AAAAA",
      "AA=A",
      "A===",
      "====",
      "AAAA=",
      "AA-_",
      "AA A",
      "AAA\n",
      "AAÄA",
    ]) {
      expect([data, why({ ...png, data })]).toEqual([data, "has `data` that is not padded base64"]);
    }
  });

  it("is checked in linear time, even when only the last of many megabytes is wrong", () => {
    const long = "A".repeat(16_000_000);
    expect(expectToFinish(() => why({ ...png, data: `${long}AAA-` }))).toContain("not padded base64");
    expect(expectToFinish(() => why({ ...png, data: long }))).toBe("taken");
  });
});
