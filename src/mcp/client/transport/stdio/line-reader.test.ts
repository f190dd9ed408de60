import * as fc from "fast-check";
import { expect, it } from "vitest";
import { expectToFinish } from "../../../../../test/kit/expect-to-finish.ts";
import { LineReader, LineTooLongError } from "./line-reader.ts";

const read = (reader: LineReader, chunks: readonly Buffer[]): string[] => {
  const lines: string[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line);
  }
  return lines;
};

it("LineReader returns the same lines for any chunking", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", " "))),
      fc.array(fc.integer({ min: 1, max: 7 })),
      (lines, sizes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const chunks: Buffer[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % Math.max(1, sizes.length)] ?? bytes.length;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read(new LineReader(1_000_000), chunks)).toEqual(lines);
      },
    ),
  );
});

it("LineReader rejects a line above the limit in one chunk or many", () => {
  expect(() => read(new LineReader(10), [Buffer.from("x".repeat(11))])).toThrow(LineTooLongError);
  expect(() => read(new LineReader(10), [Buffer.from("xxxxxx"), Buffer.from("xxxxxx")])).toThrow(
    LineTooLongError,
  );
  expect(() => read(new LineReader(10), [Buffer.from(`${"x".repeat(11)}\n`)])).toThrow(LineTooLongError);
  expect(read(new LineReader(10), [Buffer.from(`${"x".repeat(10)}\n`)])).toEqual(["x".repeat(10)]);
});

it("LineReader reads a line of many small chunks in linear time", () => {
  const chunks = Array.from({ length: 1_000_000 }, () => Buffer.from("0123456789"));
  chunks.push(Buffer.from("\n"));
  expect(expectToFinish(() => read(new LineReader(10_000_000), chunks))[0]).toHaveLength(10_000_000);
});
