import { expect, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";

const chunk = (parts: object[], finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason && { finishReason }) }],
});
const call = (functionCall: object) => chunk([{ functionCall }]);
const leaf = (jsonPath: string, value: object, more = true) =>
  call({ partialArgs: [{ jsonPath, ...value }], ...(more && { willContinue: true }) });
const stop = chunk([{ text: "" }], "STOP");
const collect = (...events: unknown[]) =>
  collectCalls("gemini", events).map(({ id, tool, input, finish }) => [id, tool, input, finish]);

test("returns calls with their argument objects and generated ids when ids are missing", () => {
  const args = { city: "Oslo" };
  const body = chunk(
    [
      { text: "I call look", thought: true },
      { functionCall: { name: "look", args }, thoughtSignature: "s" },
      { functionCall: { id: "g2", name: "time" } },
      { executableCode: { language: "PYTHON", code: "look()" } },
      { functionResponse: { name: "look", response: {} } },
    ],
    "STOP",
  );
  const calls = readCalls("google", body);
  expect(calls).toEqual([
    {
      id: "call-0",
      tool: "look",
      input: args,
      index: 0,
      part: "/candidates/0/content/parts/1",
      finish: "complete",
    },
    {
      id: "g2",
      tool: "time",
      input: {},
      index: 1,
      part: "/candidates/0/content/parts/2",
      finish: "complete",
    },
  ]);
  expect(calls[0]!.input).toBe(args);
});

test("builds the arguments from streamed JSON paths", () => {
  expect(
    collect(
      call({ name: "cook", willContinue: true }),
      leaf("$.dish.name", { stringValue: "Stew", willContinue: true }),
      leaf("$.dish.name", { stringValue: " of {}" }),
      leaf("$.dish.steps[0]['do it']", { stringValue: "chop" }),
      call({ willContinue: true }),
      leaf("$.dish.steps[1].minutes", { numberValue: 5 }),
      leaf("$.hot", { boolValue: true }),
      leaf("$.note", { nullValue: "NULL_VALUE" }),
      call({}),
      call({ name: "look", willContinue: true }),
      leaf("$.city", { stringValue: "Oslo" }, false),
      stop,
    ),
  ).toEqual([
    [
      "call-0",
      "cook",
      { dish: { name: "Stew of {}", steps: [{ "do it": "chop" }, { minutes: 5 }] }, hot: true, note: null },
      "complete",
    ],
    ["call-1", "look", { city: "Oslo" }, "complete"],
  ]);
});

test("marks a call with missing parts as incomplete unless the reply stops with all strings closed", () => {
  const begun = call({ name: "look", willContinue: true });
  const open = leaf("$.city", { stringValue: "Os", willContinue: true });
  const closed = leaf("$.city", { stringValue: "lo" });
  const finishes = (...events: unknown[]) => collect(...events).map(([, , input, finish]) => [input, finish]);
  expect(finishes(begun)).toEqual([[{}, "incomplete"]]);
  expect(finishes(begun, open)).toEqual([[{ city: "Os" }, "incomplete"]]);
  expect(finishes(begun, open, stop)).toEqual([[{ city: "Os" }, "incomplete"]]);
  expect(finishes(begun, open, closed)).toEqual([[{ city: "Oslo" }, "incomplete"]]);
  expect(finishes(begun, open, closed, stop)).toEqual([[{ city: "Oslo" }, "complete"]]);
  expect(finishes(begun, open, closed, chunk([], "MAX_TOKENS"))).toEqual([[{ city: "Oslo" }, "incomplete"]]);
});

test("marks a call as incomplete when its paths leave gaps, conflict or are ambiguous", () => {
  const begun = call({ name: "look", willContinue: true });
  const broken = [
    [leaf("$.a[1]", { numberValue: 1 })],
    [leaf("$.a[999999999]", { numberValue: 1 })],
    [leaf("$.a", { numberValue: 1 }), leaf("$.a.b", { numberValue: 1 })],
    [leaf("$.a.b", { numberValue: 1 }), leaf("$.a", { numberValue: 1 })],
    [leaf("$.a", { numberValue: 1 }), leaf("$.a", { numberValue: 2 })],
    [leaf("$.a", { numberValue: 1 }), leaf("$.a", { stringValue: "x" })],
    [leaf("$.a[0]", { numberValue: 1 }), leaf("$.a.b", { numberValue: 1 })],
    [leaf("$..a", { numberValue: 1 })],
    [leaf("$.a[*]", { numberValue: 1 })],
    [leaf("$", { stringValue: "x" })],
    [leaf("a", { stringValue: "x" })],
    [leaf("$.a", {})],
  ];
  for (const leaves of broken) expect(collect(begun, ...leaves, call({}), stop)[0]![3]).toBe("incomplete");
});

test("treats __proto__ in a path as an ordinary member", () => {
  const [found] = collect(
    call({ name: "look", willContinue: true }),
    leaf("$.__proto__.polluted", { boolValue: true }),
    call({}),
  );
  expect(Object.keys(found![2] as object)).toEqual(["__proto__"]);
  expect({}).not.toHaveProperty("polluted");
});

test("marks a call as incomplete when parts arrive after it was complete", () => {
  const stray = leaf("$.city", { stringValue: "Oslo" }, false);
  expect(collect(call({ name: "look" }), stray, stop)[0]![3]).toBe("incomplete");
  expect(collect(call({ name: "look", willContinue: true }), call({}), stray, stop)[0]![3]).toBe(
    "incomplete",
  );
});

test("marks the last call of a cut-off reply as incomplete and ignores malformed calls", () => {
  const whole = { functionCall: { name: "look", args: {} } };
  const finishes = (parts: object[], reason: string) =>
    collect(chunk(parts, reason)).map(([, , , finish]) => finish);
  expect(finishes([whole], "MAX_TOKENS")).toEqual(["incomplete"]);
  expect(finishes([whole, { text: "and" }], "MAX_TOKENS")).toEqual(["complete"]);
  expect(
    collect({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "look(" }] }),
  ).toEqual([]);
});
