import { fullFormats } from "ajv-formats/dist/formats.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCheck } from "./format-checks.ts";

const accepts = (format: string, value: unknown): boolean => formatCheck(format)!(value);

describe("formatCheck", () => {
  it.each([
    [
      "date",
      ["2024-02-29", "2000-02-29"],
      ["2023-02-29", "1900-02-29", "2024-00-01", "2024-1-01", "٢024-01-01"],
    ],
    ["time", ["08:30:06Z", "23:59:60Z", "15:59:60-08:00"], ["08:30:06", "08:30:06+0100", "23:58:60Z"]],
    ["date-time", ["2024-02-29T08:30:06.5z"], ["2024-02-29 08:30:06Z", "2024-02-29T08:30:06Z\n"]],
    ["iso-time", ["08:30:06", "08:30:06+0100"], ["08:30", "08:30:06+24:00"]],
    ["iso-date-time", ["2024-02-29 08:30:06"], ["2024-02-29x08:30:06", "2023-02-29 08:30:06"]],
    ["duration", ["P1Y2M3DT4H5M6S", "P2W", "PT0S"], ["P", "PT", "P1Y2D", "P1Y2W", "PT1H2S"]],
    [
      "uri",
      ["https://u:p@a.example:80/b?c#d", "urn:a:b", "http://[::1]/"],
      ["//a", "a b:c", "http://[::1", "a:%zz", "http://a:b"],
    ],
    ["uri-reference", ["", "a/b:c", "//a", "?x", "#y", "./z"], ["a:b c", "1:b", "\\a", "#a#b"]],
    ["uri-template", ["/a{?b,c*,d:3}", "{+a.b}", "x"], ["{", "}", "{a", "{a:0}", "{}", "a'b"]],
    ["url", ["https://a.example/b", "ftp://a"], ["mailto:a@b", "https://", "https:///a"]],
    [
      "email",
      ["a.b@c.example", '"a b"@c.example', "a@[127.0.0.1]", "a@[IPv6:::1]"],
      ["a", "@b", "a@", ".a@b", "a..b@c", "a@b@c", "a@[300.0.0.1]", "a@-b"],
    ],
    [
      "hostname",
      ["a", "a-b.example", "1a"],
      ["", "a.", "-a", "a-", "a_b", "a..b", "a".repeat(64), "Kelvin".replace("K", "\u212a")],
    ],
    [
      "ipv4",
      ["0.0.0.0", "255.255.255.255"],
      ["1.2.3", "1.2.3.4.", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "1.2.3.4\n"],
    ],
    [
      "ipv6",
      ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4"],
      [
        "1",
        ":::",
        "1::2::3",
        "1:2:3:4:5:6:7::8:9",
        "12345::",
        "::1%eth0",
        ":1:2:3:4:5:6:7:8",
        "1.2.3.4::",
        "1:2:3:4:5:6:7:1.2.3.4",
      ],
    ],
    ["regex", ["^a+$", "\\p{L}"], ["(", "\\Z", "a{2,1}"]],
    [
      "uuid",
      ["2EB8AA08-aa98-11EA-b4aa-73b441d16380"],
      ["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638"],
    ],
    ["json-pointer", ["", "/", "/a~0b~1c//d"], ["a", "/~", "/~2", "#/a"]],
    ["json-pointer-uri-fragment", ["#", "#/a%25b"], ["", "/a", "#a", "#/~2", "#/%zz"]],
    ["relative-json-pointer", ["0", "1/a", "0#"], ["", "01/a", "-1/a", "0##"]],
    ["byte", ["", "YQ==", "YWI=", "YWJj"], ["Y", "YQ=", "YQ", "Y===", "YW J"]],
    ["int32", [2 ** 31 - 1, -(2 ** 31)], [2 ** 31, 1.5]],
    ["int64", [2 ** 53], [2 ** 63, 0.5]],
    ["float", [0.5], []],
    ["double", [0.5], []],
  ] satisfies [string, readonly unknown[], readonly unknown[]][])("%s", (format, valid, invalid) => {
    expect(valid.filter((value) => !accepts(format, value))).toEqual([]);
    expect(invalid.filter((value) => accepts(format, value))).toEqual([]);
  });

  it("accepts values of another type", () => {
    expect(accepts("email", 1)).toBe(true);
    expect(accepts("int32", "x")).toBe(true);
  });

  it("covers every format that ajv-formats checks", () => {
    const checked = Object.entries(fullFormats).flatMap(([name, check]) => (check === true ? [] : [name]));
    expect(checked.filter((name) => formatCheck(name) === undefined)).toEqual([]);
  });
});

const part = (text: string) =>
  fc.array(fc.constantFrom(...text), { maxLength: 12 }).map((all) => all.join(""));
const number = (max: number) => fc.integer({ min: 0, max }).map((each) => String(each).padStart(2, "0"));

/** Formats on which Haft and ajv-formats agree, with generators of nearly valid texts. */
const agreed: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: fc
    .tuple(fc.constantFrom("1900", "2000", "2023", "2024"), number(13), number(32))
    .map((all) => all.join("-")),
  "iso-time": fc
    .tuple(number(23), number(60), number(61), fc.constantFrom("", "Z", "z", "+01", "-0130", "+23:59", "x"))
    .map(([hour, minute, second, zone]) => `${hour}:${minute}:${second}${zone}`),
  ipv4: fc.oneof(part("0123456789."), fc.ipV4()),
  ipv6: fc.oneof(part("01af:."), fc.ipV6()),
  "json-pointer": part("/~01a"),
  "relative-json-pointer": part("/~01#a"),
  byte: part("aZ9+/="),
};

describe("formatCheck on generated texts", () => {
  it.each(Object.entries(agreed))("%s agrees with ajv-formats", (format, texts) => {
    const reference = fullFormats[format as keyof typeof fullFormats] as
      | RegExp
      | ((text: string) => boolean)
      | { validate: (text: string) => boolean };
    const expected = (text: string): boolean => {
      if (reference instanceof RegExp) return reference.test(text);
      return typeof reference === "function" ? reference(text) : reference.validate(text);
    };
    fc.assert(
      fc.property(texts, (text) => {
        expect([text, accepts(format, text)]).toEqual([text, expected(text)]);
      }),
      { numRuns: 2_000 },
    );
  });
});
