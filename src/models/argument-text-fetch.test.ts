import fc from "fast-check";
import { expect, test } from "vitest";
import { argumentTextFetch } from "./argument-text-fetch.ts";

const lossy = '{"id":9007199254740993,"a":1,"a":2}';
const event = (args: string): string =>
  `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":${args}}}]}}]}`;

const answering = (
  body: ConstructorParameters<typeof Response>[0],
  type: string,
  status = 200,
): typeof fetch =>
  argumentTextFetch(
    "gemini",
    async () => new Response(body, { status, headers: { "content-type": type, "content-length": "1" } }),
  );

const stream = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

test("argumentTextFetch returns a body with argument text and without content-length", async () => {
  const response = await answering(event(lossy), "application/json")("http://127.0.0.1/");
  expect(response.headers.has("content-length")).toBe(false);
  expect(await response.text()).toBe(event(JSON.stringify(lossy)));
});

test("argumentTextFetch rewrites every event of a stream, however it is chunked", async () => {
  const pretty = event(lossy).replace('{"candidates"', '{\n"candidates"');
  const text = [
    `: hello\n\n`,
    `event: message\nid: 1\ndata: ${event(lossy)}\n\n`,
    `data: ${event('{"é":1}')}\r\n\r\n`,
    `${pretty
      .split("\n")
      .map((line) => `data: ${line}`)
      .join("\n")}\n\n`,
    "data: [DONE]\n\n",
    "data: never ended",
  ].join("");
  const expected = [
    ": hello\n\n",
    `event: message\nid: 1\ndata: ${event(JSON.stringify(lossy))}\n\n`,
    `data: ${event(JSON.stringify('{"é":1}'))}\n\n`,
    `data: {\ndata: ${event(JSON.stringify(lossy)).slice(1)}\n\n`,
    "data: [DONE]\n\n",
    "data: never ended",
  ].join("");
  const bytes = new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
      const response = await answering(stream(chunks), "text/event-stream")("http://127.0.0.1/");
      expect(await response.text()).toBe(expected);
    }),
    { seed: 20260703, numRuns: 100 },
  );
});

test("argumentTextFetch fails the stream when an event has a repeated key around its arguments", async () => {
  const text = `data: ${event(lossy).replace('"name":"t"', '"name":"a","name":"t"')}\n\n`;
  const response = await answering(text, "text/event-stream; charset=utf-8")("http://127.0.0.1/");
  await expect(response.text()).rejects.toThrow('the key "name" twice');
});

test("argumentTextFetch does not change an error response", async () => {
  const response = await answering(event(lossy), "application/json", 500)("http://127.0.0.1/");
  expect(await response.text()).toBe(event(lossy));
});
