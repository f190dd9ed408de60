import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { redactor, SecretValues } from "./redact.ts";
import { decodedLayers } from "./secrets/decoded-layers.ts";
import { FormIndex } from "./secrets/form-index.ts";

const secret = "c2Vj/cmV0&a2V5+Zm9y/dGVzdA==";
const known = redactor({ secrets: () => [secret] });

const toHex = (text: string): string => text.codePointAt(0)!.toString(16);
const toUnicode = (text: string): string => `\\u${toHex(text).padStart(4, "0")}`;
const each = (text: string, write: (character: string) => string): string => [...text].map(write).join("");

describe("known secret in another encoding", () => {
  it.each([
    ["with escaped slashes, as PHP writes JSON", secret.replaceAll("/", "\\/")],
    [
      "with escaped plus signs and ampersands, as .NET writes JSON",
      secret.replaceAll("+", "\\u002B").replaceAll("&", "\\u0026"),
    ],
    ["with numeric entities", secret.replaceAll("/", "&#x2F;").replaceAll("=", "&#61;")],
    ["with named entities", secret.replaceAll("&", "&amp;").replaceAll("+", "&plus;")],
    ["with some characters percent-encoded", secret.replaceAll("/", "%2f").replaceAll("&", "%26")],
    ["with every character percent-encoded", each(secret, (character) => `%${toHex(character)}`)],
    ["with an entity inside JSON", secret.replaceAll("/", "\\u0026#x2F;")],
    [
      "in JSON in JSON",
      JSON.stringify(JSON.stringify(secret.replaceAll("/", "\\/")).slice(1, -1)).slice(1, -1),
    ],
    [
      "as base64 with escaped slashes",
      Buffer.from(`${secret}???`).toString("base64").slice(0, 37).replaceAll("/", "\\/"),
    ],
    ["with zero-width spaces inside", each(secret, (character) => `${character}\u200b`).slice(0, -1)],
    [
      "with a soft hyphen and a byte order mark inside",
      `${secret.slice(0, 5)}\u00ad${secret.slice(5, 9)}\ufeff${secret.slice(9)}`,
    ],
    ["with a tag character inside", `${secret.slice(0, 7)}\u{e0041}${secret.slice(7)}`],
    ["with a zero-width joiner in JSON", `${secret.slice(0, 7)}\\u200d${secret.slice(7)}`],
    ["in hexadecimal", Buffer.from(secret).toString("hex")],
    ["in upper-case hexadecimal", Buffer.from(secret).toString("hex").toUpperCase()],
    ["in upper case", secret.toUpperCase()],
    ["in lower case", secret.toLowerCase()],
    ["in upper case and percent-encoded", encodeURIComponent(secret.toUpperCase())],
    ["in upper case with escaped slashes", secret.toUpperCase().replaceAll("/", "\\/")],
  ])("is masked %s", (_, written) => {
    expect(known.text(`before ${written} after`)).toBe("before [redacted] after");
    expect(known.value([`<${written}>`])).toEqual(["<[redacted]>"]);
  });

  it("is masked in the middle of a longer hexadecimal text", () => {
    const hex = Buffer.from(`user:${secret}@host`).toString("hex");
    const [before, after] = ["user:", "@host"].map((text) => Buffer.from(text).toString("hex"));
    expect(known.text(hex)).toBe(`${before}[redacted]${after}`);
  });

  it("is not searched in another case when it is short", () => {
    const short = redactor({ secrets: () => ["rose"] });
    expect(short.text("Rose rose ROSE")).toBe("Rose [redacted] ROSE");
  });

  it("is masked when its quotes and line breaks are escaped twice", () => {
    const pem = '-----BEGIN "KEY"-----\nMIIB\n-----END-----';
    const twice = JSON.stringify(JSON.stringify({ pem }));
    expect(redactor({ secrets: () => [pem] }).text(twice)).toBe('"{\\"pem\\":\\"[redacted]\\"}"');
  });

  it("is masked when the length limit cuts through it", () => {
    const cut = redactor({ secrets: () => [secret], limits: { maxLength: 20 } });
    expect(cut.value(`abc ${each(secret, (character) => `&#x${toHex(character)};`)} def`)).toBe(
      "abc [redacted][cut]",
    );
  });

  it("is masked next to non-ASCII letters deep in a long text", () => {
    const text = "日本語 words ".repeat(9_000);
    expect(known.text(`${text}${secret}${text}`)).toBe(`${text}[redacted]${text}`);
  });

  it("is masked completely, whichever characters are escaped and however often", () => {
    const byPercent = (character: string) =>
      encodeURIComponent(character).replace(/^[^%]$/, (one) => `%${toHex(one)}`);
    const encoders = [
      {
        sign: "\\",
        write: (one: string) =>
          JSON.stringify(one)
            .slice(1, -1)
            .replace(/^[ -~]$/, toUnicode),
      },
      { sign: "&", write: (one: string) => `&#x${toHex(one)};` },
      { sign: "&", write: (one: string) => `&#${one.codePointAt(0)};` },
      { sign: "%", write: byPercent },
    ];
    // An encoder that escapes the letters of an escape sequence escapes all of them; the secret itself may be
    // in any form.
    const layer = fc.record({ encoder: fc.constantFrom(...encoders), isWhole: fc.boolean() });
    const canary = fc
      .string({ minLength: 12, maxLength: 24, unit: "grapheme" })
      .filter(
        (text) => text.isWellFormed() && (decodedLayers(text).at(-1)?.text ?? text).trim().length >= 12,
      );
    const which = fc.array(fc.boolean(), { minLength: 1 });
    fc.assert(
      fc.property(
        canary,
        fc.constantFrom(...encoders),
        which,
        fc.array(layer, { maxLength: 2 }),
        (value, first, chosen, more) => {
          let at = 0;
          let written = each(value, (one) =>
            one === first.sign || chosen[at++ % chosen.length] ? first.write(one) : one,
          );
          for (const { encoder, isWhole } of more)
            written = each(written, (one) => (isWhole || /[^a-z0-9]/i.test(one) ? encoder.write(one) : one));
          const masked = redactor({ secrets: () => [value] }).text(`before | ${written} | after`);
          expect(masked.replace(/ *\[redacted\] */, "")).toBe("before || after");
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("SecretValues", () => {
  it("finds the same secrets whether added one by one or at once", () => {
    const all = Array.from({ length: 1_200 }, (_, at) => `token-${at * 7919}-${at}`);
    const growing = new SecretValues();
    for (let count = 1; count <= all.length; count += 7) growing.hold(all.slice(0, count));
    growing.hold(all);
    const text = all.join(" ");
    expect(growing.mask(text)).toBe(all.map(() => "[redacted]").join(" "));
  });

  it("adds one secret without a rebuild", () => {
    const all = Array.from({ length: 2_000 }, (_, at) => `token-${at * 7919}-${"x".repeat(40)}${at}`);
    const values = new SecretValues();
    values.hold([...all, "more-x"]);
    const add = vi.spyOn(FormIndex.prototype, "add");
    onTestFinished(() => add.mockRestore());
    for (let count = 0; count < 10; count++) values.hold([...all, `more-${count}`]);
    expect(add.mock.calls.length).toBeLessThan(200);
    expect(values.mask("more-9 more-8")).toBe("[redacted] more-8");
  });

  it("forgets a removed secret unless another one has the same form", () => {
    const values = new SecretValues();
    values.hold(["abcd", " abcd", "other-secret"]);
    values.hold(["abcd", "other-secret"]);
    expect(values.mask("abcd other-secret")).toBe("[redacted] [redacted]");
    values.hold(["other-secret"]);
    expect(values.mask("abcd other-secret")).toBe("abcd [redacted]");
    expect([values.isSecret("abcd"), values.isSecret("other-secret")]).toEqual([false, true]);
  });

  it("is shared by redactors that follow the same list", () => {
    let asked = 0;
    const list = Object.freeze(["first-secret"]);
    const secrets = () => {
      asked += 1;
      return list;
    };
    const [one, other] = [redactor({ secrets }), redactor({ secrets })];
    expect([one.text("first-secret"), other.text("first-secret")]).toEqual(["[redacted]", "[redacted]"]);
    expect(asked).toBe(2);
  });
});
