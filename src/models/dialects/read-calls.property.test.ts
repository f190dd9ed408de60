import fc from "fast-check";
import { expect, test } from "vitest";
import { callCollector, collectCalls, readCalls } from "./read-calls.ts";
import { type WireName, wires } from "./wires.ts";

interface Asked {
  readonly id: string;
  readonly tool: string;
  readonly text: string;
}

/** Builds the events of one wire format: start, piece and end of a call and the end of the reply. */
interface Spelling {
  readonly start: (place: number, call: Asked) => unknown;
  readonly piece: (place: number, piece: string) => unknown;
  readonly end: (place: number, call: Asked) => unknown;
  readonly finish: (cut: boolean) => unknown;
  /** Pointer to the list of calls in a whole reply. */
  readonly list: string;
}

const chatDelta = (call: unknown) => ({
  choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }],
});

const spellings: Record<string, Spelling> = {
  "openai-chat": {
    list: "/choices/0/message/tool_calls",
    start: (index, { id, tool }) =>
      chatDelta({ index, id, type: "function", function: { name: tool, arguments: "" } }),
    piece: (index, piece) => chatDelta({ index, function: { arguments: piece } }),
    end: () => ({ choices: [] }),
    finish: (cut) => ({ choices: [{ index: 0, delta: {}, finish_reason: cut ? "length" : "tool_calls" }] }),
  },
  "openai-responses": {
    list: "/output",
    start: (index, { id, tool }) => ({
      type: "response.output_item.added",
      output_index: index,
      item: { type: "function_call", id: `fc_${index}`, call_id: id, name: tool, arguments: "" },
    }),
    piece: (index, delta) => ({ type: "response.function_call_arguments.delta", output_index: index, delta }),
    end: (index, { id, tool, text }) => ({
      type: "response.output_item.done",
      output_index: index,
      item: { type: "function_call", id: `fc_${index}`, call_id: id, name: tool, arguments: text },
    }),
    finish: (cut) => ({
      type: cut ? "response.incomplete" : "response.completed",
      response: { status: cut ? "incomplete" : "completed", output: [] },
    }),
  },
  anthropic: {
    list: "/content",
    start: (index, { id, tool }) => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id, name: tool, input: {} },
    }),
    piece: (index, piece) => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: piece },
    }),
    end: (index) => ({ type: "content_block_stop", index }),
    finish: (cut) => ({ type: "message_delta", delta: { stop_reason: cut ? "max_tokens" : "tool_use" } }),
  },
  bedrock: {
    list: "/output/message/content",
    start: (index, { id, tool }) => ({
      contentBlockStart: { contentBlockIndex: index, start: { toolUse: { toolUseId: id, name: tool } } },
    }),
    piece: (index, input) => ({
      contentBlockDelta: { contentBlockIndex: index, delta: { toolUse: { input } } },
    }),
    end: (index) => ({ contentBlockStop: { contentBlockIndex: index } }),
    finish: (cut) => ({ messageStop: { stopReason: cut ? "max_tokens" : "tool_use" } }),
  },
  cohere: {
    list: "/message/tool_calls",
    start: (index, { id, tool }) => ({
      type: "tool-call-start",
      index,
      delta: { message: { tool_calls: { id, type: "function", function: { name: tool, arguments: "" } } } },
    }),
    piece: (index, piece) => ({
      type: "tool-call-delta",
      index,
      delta: { message: { tool_calls: { function: { arguments: piece } } } },
    }),
    end: (index) => ({ type: "tool-call-end", index }),
    finish: (cut) => ({ type: "message-end", delta: { finish_reason: cut ? "MAX_TOKENS" : "TOOL_CALL" } }),
  },
  "gemini-interactions": {
    list: "/steps",
    start: (index, { id, tool }) => ({
      event_type: "step.start",
      index,
      step: { type: "function_call", id, name: tool, arguments: {} },
    }),
    piece: (index, piece) => ({
      event_type: "step.delta",
      index,
      delta: { type: "arguments_delta", arguments: piece },
    }),
    end: (index) => ({ event_type: "step.stop", index }),
    finish: (cut) => ({
      event_type: "interaction.completed",
      interaction: { status: cut ? "incomplete" : "requires_action" },
    }),
  },
};

const cutIntoPieces = (text: string, cuts: readonly number[]): string[] => {
  const at = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};

const anArgument = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), {
  minKeys: 1,
  maxKeys: 3,
});

/** Interleaves the chunks of all calls and keeps the order within each call. */
const aStream = fc
  .record({
    wire: fc.constantFrom(...(Object.keys(spellings) as WireName[])),
    texts: fc.array(fc.tuple(anArgument, fc.array(fc.nat(), { maxLength: 6 })), {
      minLength: 1,
      maxLength: 4,
    }),
    turns: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  })
  .map(({ wire, texts, turns }) => {
    const { start, piece, end } = spellings[wire]!;
    const asked = texts.map(([value], index) => ({
      id: `id_${index}`,
      tool: `tool_${index % 2}`,
      text: JSON.stringify(value),
    }));
    const queues = asked.map((call, place) => [
      start(place, call),
      ...cutIntoPieces(call.text, texts[place]![1]).map((part) => piece(place, part)),
      end(place, call),
    ]);
    const events: unknown[] = [];
    for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
      const waiting = queues.filter((queue) => queue.length > 0);
      events.push(waiting[turns[turn % turns.length]! % waiting.length]!.shift());
    }
    return { wire, asked, events };
  });

const expected = (wire: WireName, asked: readonly Asked[]) =>
  asked.map(({ id, tool, text }, index) => ({
    id,
    tool,
    input: text,
    index,
    part: `${spellings[wire]!.list}/${index}`,
    finish: "complete",
  }));

test("parallel calls do not depend on the interleaving or chunking of the stream", () => {
  fc.assert(
    fc.property(aStream, fc.integer({ min: 1, max: 50 }), ({ wire, asked, events }, width) => {
      const whole = [...events, spellings[wire]!.finish(false)];
      const lines = whole.map((event) => JSON.stringify(event));
      const sse = lines.map((line) => `event: x\ndata: ${line}\n\n`).join("");
      const torn = Array.from({ length: Math.ceil(sse.length / width) }, (_, at) =>
        sse.slice(at * width, at * width + width),
      );
      const collector = callCollector(wire);
      const begun = whole.flatMap((event) => collector.push(event));
      expect(collector.calls()).toEqual(expected(wire, asked));
      expect(begun.map(({ id }) => id).sort()).toEqual(asked.map(({ id }) => id));
      for (const given of [whole, lines, lines.join("\n"), sse, sse.split("\n"), torn]) {
        expect(collectCalls(wire, given)).toEqual(expected(wire, asked));
      }
    }),
  );
});

test("a stream that is cut off anywhere completes only calls that were sent whole", () => {
  fc.assert(
    fc.property(
      aStream,
      fc.nat(),
      fc.boolean(),
      fc.boolean(),
      ({ wire, asked, events }, cut, finished, text) => {
        const { finish } = spellings[wire]!;
        const rest = events.slice(0, cut % (events.length + 1));
        const whole = finished ? [...rest, finish(true)] : rest;
        const sse = whole.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
        const calls = collectCalls(wire, text ? sse.slice(0, cut % (sse.length + 1)) : whole);
        for (const call of calls) {
          const { text } = asked.find(({ id }) => id === call.id)!;
          if (call.finish === "complete") expect(call.input).toBe(text);
          else expect(text.startsWith(call.input as string)).toBe(true);
        }
      },
    ),
    { numRuns: 500 },
  );
});

const words = [
  "choices delta message tool_calls function function_call custom name arguments id index finish_reason type",
  "item output_index item_id call_id output response status content content_block partial_json input stop_reason",
  "candidates parts functionCall args partialArgs jsonPath stringValue willContinue finishReason outputs steps",
  "step event_type interaction toolUse toolUseId contentBlockStart contentBlockDelta contentBlockStop start",
  "contentBlockIndex messageStop stopReason done done_reason __proto__",
].flatMap((line) => line.split(" "));

const values = [
  "tool_use server_tool_use input_json_delta content_block_start content_block_delta content_block_stop",
  "message_start message_delta function_call response.output_item.added response.output_item.done length STOP",
  "response.function_call_arguments.delta response.completed tool-call-start tool-call-delta tool-call-end",
  "step.start step.delta arguments_delta interaction.completed $.a $.a[0] $.__proto__.x $.a[999999999] $",
].flatMap((line) => line.split(" "));

const { strange } = fc.letrec((tie) => ({
  strange: fc.oneof(
    { maxDepth: 7, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom(...values),
      fc.constant(0),
      fc.constant(null),
      fc.constant(true),
      fc.constant("{}"),
    ),
    fc.array(tie("strange"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...words), tie("strange"), { maxKeys: 6 }),
  ),
}));

/** A stream in which some fields have wrong values. */
const aDamagedStream = fc
  .tuple(
    aStream,
    fc.array(fc.tuple(fc.constantFrom(...words), fc.nat({ max: 9 }), strange), { maxLength: 4 }),
  )
  .map(([{ wire, events }, damages]) => {
    const seen = new Map<string, number>();
    const whole = JSON.stringify([...events, spellings[wire]!.finish(false)]);
    const damaged = JSON.parse(whole, (key, value) => {
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const damage = damages.find(([name, at]) => name === key && at === nth);
      return damage === undefined ? value : damage[2];
    });
    return { wire, events: damaged as unknown[] };
  });

const aStrangeStream = fc.record({
  wire: fc.constantFrom(...(Object.keys(wires) as WireName[])),
  events: fc.array(strange, { maxLength: 8 }),
});

test("any JSON is read without throwing and without calls that have no name", () => {
  let found = 0;
  fc.assert(
    fc.property(fc.oneof(aDamagedStream, aStrangeStream), ({ wire, events }) => {
      const texts = events.map((event) => JSON.stringify(event));
      const collected = collectCalls(wire, texts);
      expect(
        collectCalls(
          wire,
          texts.map((text) => JSON.parse(`[${text}]`)),
        ),
      ).toEqual(collected);
      for (const calls of [...texts.map((text) => readCalls(wire, text)), collected]) {
        found += calls.length;
        expect(Object.isFrozen(calls) && calls.every(Object.isFrozen)).toBe(true);
        for (const { id, tool } of calls) expect([id, tool]).not.toContain("");
      }
      expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
    }),
    { numRuns: 1_000 },
  );
  expect(found).toBeGreaterThan(500);
});
