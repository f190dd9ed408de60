import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  BoundedLogs,
  type GuestFrame,
  GuestFrameReader,
} from "../../../../src/sandbox/child/guest-process.ts";

const token = "f".repeat(48);

const read = (chunks: readonly Buffer[], most = 10_000) => {
  const [frames, texts] = [[] as GuestFrame[], [] as string[]];
  const wire = new GuestFrameReader(
    token,
    most,
    (frame) => frames.push(frame),
    (text) => texts.push(text),
  );
  for (const chunk of chunks) wire.push(chunk);
  wire.end();
  return { frames, texts };
};

const cutInto = (bytes: Buffer, sizes: readonly number[]): readonly Buffer[] => {
  const chunks: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % Math.max(1, sizes.length)] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
};

it("frames and text are separated for any split of the bytes", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          isFrame: fc.boolean(),
          text: fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", " ")),
        }),
      ),
      fc.array(fc.integer({ min: 1, max: 60 })),
      (lines, sizes) => {
        const bytes = Buffer.from(
          lines.map(({ isFrame, text }) => `${isFrame ? `${token} log ` : ""}${text}\n`).join(""),
        );
        const { frames, texts } = read(cutInto(bytes, sizes));
        expect(frames.map(({ payload }) => payload)).toEqual(
          lines.filter(({ isFrame }) => isFrame).map(({ text }) => text),
        );
        expect(texts).toEqual(
          lines.filter(({ isFrame, text }) => !isFrame && text !== "").map(({ text }) => text),
        );
      },
    ),
  );
});

it("a frame beyond the limit is reported without its payload, and long text is cut", () => {
  const long = "x".repeat(500);
  const { frames, texts } = read([Buffer.from(`${token} value ${long}\n${long}\n${token} value 1\n`)], 100);
  expect(frames).toEqual([
    { kind: "value", payload: "", isTooLong: true },
    { kind: "value", payload: "1", isTooLong: false },
  ]);
  expect(texts).toEqual(["x".repeat(100)]);
});

it("a line with another token is text", () => {
  const other = `${"e".repeat(48)} value 1`;
  expect(read([Buffer.from(`${other}\n`)])).toEqual({ frames: [], texts: [other] });
});

it("logs are cut at their limit between characters", () => {
  const logs = new BoundedLogs(10);
  logs.add("log", "1234");
  logs.add("error", "ääää", true);
  logs.add("log", "more");
  expect([logs.lines(true), logs.isCut]).toEqual([
    [
      { level: "log", text: "1234" },
      { level: "error", text: "ää" },
    ],
    true,
  ]);
  expect(logs.lines(false)).toEqual([{ level: "log", text: "1234" }]);
});
