import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GramDocument } from "../src/tools/gram/document.ts";
import { readGram } from "../src/tools/gram/read-gram.ts";
import { validateGram } from "../src/tools/gram/validate-gram.ts";
import { writeGram } from "../src/tools/gram/write-gram.ts";
import { randomGram } from "./kit/random-gram.ts";

const numRuns = process.env.HAFT_SOAK === "1" ? 5000 : 500;

const withoutPositions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPositions);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (key === "at" ? [] : [[key, withoutPositions(each)]])),
  );
};

const read = (text: string): GramDocument => {
  const reading = readGram(text);
  if (!reading.ok) throw new Error(`${reading.diagnostics[0]?.message}\n${text}`);
  return reading.document;
};

const layouts = [
  { name: "canonical", options: {} },
  { name: "pretty", options: { pretty: true } },
  { name: "narrow", options: { pretty: true, width: 20 } },
];

describe("a document that is written and read", () => {
  for (const { name, options } of layouts) {
    it(`is the same document and is written the same again when ${name}`, { timeout: 300_000 }, () => {
      fc.assert(
        fc.property(randomGram, (document) => {
          const text = writeGram(document, options);
          const again = read(text);
          expect(withoutPositions(again), text).toStrictEqual(withoutPositions(document));
          expect(writeGram(again, options)).toBe(text);
        }),
        { numRuns },
      );
    });
  }

  it("has the positions of its items in the text", () => {
    fc.assert(
      fc.property(randomGram, (document) => {
        const text = writeGram(document, { pretty: true });
        for (const { at } of read(text).items) {
          const lines = text.slice(0, at!.offset).split("\n");
          expect([at!.line, at!.column]).toEqual([lines.length, lines.at(-1)!.length + 1]);
          expect("([@").toContain(text[at!.offset]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

const pieces = [
  ..."()[]{}<>|@:,-=~.`\"'\\/# \n\r\t0a_é\0",
  "```",
  "...",
  "//",
  "/*",
  "-->",
  "==>",
  "::",
  "\ufeff",
  "1e3",
  "null",
];
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat(3),
  put: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })),
});

describe("a damaged text", () => {
  it("is read, or refused at a position in it, and what is read is written the same twice", {
    timeout: 300_000,
  }, () => {
    fc.assert(
      fc.property(
        randomGram,
        fc.boolean(),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        (document, pretty, edits) => {
          let text = writeGram(document, { pretty });
          for (const { at, drop, put } of edits) {
            const offset = Math.floor(at * text.length);
            text = text.slice(0, offset) + put + text.slice(offset + drop);
          }
          const reading = readGram(text);
          if (reading.ok) {
            const once = writeGram(reading.document, { pretty });
            const again = read(once);
            expect(withoutPositions(again)).toStrictEqual(withoutPositions(reading.document));
            expect(writeGram(again, { pretty })).toBe(once);
            validateGram(reading.document);
            return;
          }
          const { diagnostics } = reading;
          expect(diagnostics.length).toBeGreaterThan(0);
          expect(diagnostics.length).toBeLessThanOrEqual(20);
          for (const { offset, line, column, message, hint = "" } of diagnostics) {
            expect(offset).toBeLessThanOrEqual(text.length);
            expect(line).toBe(text.slice(0, offset).split("\n").length);
            expect(column).toBeGreaterThan(0);
            expect(message.length + hint.length).toBeLessThan(500);
          }
        },
      ),
      { numRuns: numRuns * 2 },
    );
  });

  it("is read or refused without throwing, whatever it contains", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 40 }),
        (parts) => {
          const text = parts.join("");
          const reading = readGram(text);
          if (reading.ok)
            expect(writeGram(read(writeGram(reading.document)))).toBe(writeGram(reading.document));
        },
      ),
      { numRuns: numRuns * 4 },
    );
  });
});
