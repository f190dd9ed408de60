import fc from "fast-check";
import { expect, test } from "vitest";
import { completeJsonLines } from "./ollama-chat.ts";

const through = async (chunks: readonly Uint8Array[]): Promise<string[]> => {
  const stream = ReadableStream.from(chunks).pipeThrough(completeJsonLines("ollama/test"));
  const decoder = new TextDecoder();
  const passed: string[] = [];
  for await (const chunk of stream) passed.push(decoder.decode(chunk));
  return passed;
};

/** Cuts the bytes at the given positions, also within a character. */
const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const ends = [...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length])];
  ends.sort((left, right) => left - right);
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
};

test("completeJsonLines emits whole lines one at a time for any chunking", async () => {
  const lines = fc.array(fc.record({ content: fc.string({ unit: "grapheme" }) }));
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat()), fc.boolean(), async (events, places, isClosed) => {
      const texts = events.map((event) => JSON.stringify(event));
      const body = new TextEncoder().encode(texts.join("\n") + (isClosed ? "\n" : ""));
      expect(await through(cut(body, places))).toStrictEqual(texts.map((text) => `${text}\n`));
    }),
  );
});
