import { describe, expect, it } from "vitest";
import {
  assistantCalls,
  offeredTool,
  stringSchema,
  toolReply,
  userMessage,
} from "../../test/kit/offline-messages.ts";
import { ConfigurationError, ToolCancelledError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../types/model.ts";
import type { OfferedTool } from "./dialects/exporter.ts";
import { offline } from "./offline.ts";

const sayHello = offeredTool("sayHello", "Greets a person", { name: stringSchema });
const weather = offeredTool("get_weather", "Current weather for a city", { city: stringSchema });
const time = offeredTool("get_time", "Local time of a city", { city: stringSchema });
const billing = offeredTool(
  "handoff_to_billing",
  "Hands the conversation over to billing",
  { reason: stringSchema },
  [],
);
const tools = [sayHello, weather, time, billing];

const model: Model = offline();
const ask = (
  said: string | readonly Message[],
  shown: readonly OfferedTool[] = tools,
  more: Partial<ModelRequest> = {},
) =>
  model.generate({ messages: typeof said === "string" ? [userMessage(said)] : said, tools: shown, ...more });
const callsOf = async (...request: Parameters<typeof ask>) =>
  (await ask(...request)).calls.map(({ tool, input }) => [tool, JSON.parse(input as string)]);

describe("offline planner", () => {
  it("calls the matching tool with the name from the text", async () => {
    expect(await ask("Hello, I'm Ada", [sayHello])).toEqual({
      text: "",
      calls: [{ id: "call-1", tool: "sayHello", input: '{"name":"Ada"}', index: 0, finish: "complete" }],
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      finish: "calls",
    });
  });

  it("has a descriptive id", () => {
    expect(model.id).toBe("offline/planner");
  });

  it("does not choose a tool by quoted words", async () => {
    const mail = offeredTool("send_mail", "Sends a mail", { subject: stringSchema });
    expect(await callsOf('Send a mail "time of the weather"', [weather, time, mail])).toEqual([
      ["send_mail", { subject: "time of the weather" }],
    ]);
  });

  it.each<[string, string, readonly (readonly [string, string])[]]>([
    [
      "each complete sentence",
      "What time is it in Oslo? What is the weather in Rome?",
      [
        ["get_time", "Oslo"],
        ["get_weather", "Rome"],
      ],
    ],
    ["a repeated request", "Weather in Oslo; weather in Oslo!", [["get_weather", "Oslo"]]],
    [
      "several sentences that are one request",
      "Get the weather. The city is Oslo",
      [["get_weather", "Oslo"]],
    ],
    ["the only complete sentence", "I like Oslo. What is the weather in Rome?", [["get_weather", "Rome"]]],
    ["a sentence with a quotation", 'The weather in "St. Gallen"', [["get_weather", "St. Gallen"]]],
  ])("makes one call for %s", async (_, said, calls) => {
    expect(await callsOf(said)).toEqual(calls.map(([tool, city]) => [tool, { city }]));
  });

  it("reads the first 2000 characters", async () => {
    expect((await ask(`${"x ".repeat(1_000)} weather in Oslo`)).calls).toEqual([]);
  });

  it("uses the wire name", async () => {
    const reply = await ask("weather in Oslo", [{ ...weather, wireName: "eu__get_weather" }]);
    expect(reply.calls[0]?.tool).toBe("eu__get_weather");
  });

  it("continues the numbering of calls", async () => {
    const calls = ["call-3", "toolu_1"].map((id) => ({ id, tool: "t", input: "{}" }));
    const earlier: Message[] = [userMessage("x"), { role: "assistant", content: "", calls }];
    const reply = await ask([...earlier, userMessage("weather in Oslo; weather in Rome")]);
    expect(reply.calls.map(({ id }) => id)).toEqual(["call-4", "call-5"]);
  });
});

describe("reply without a call", () => {
  it.each([
    [
      "What's the weather?",
      "get_weather cannot be called: /city is required (string) but missing. Write each argument",
    ],
    [
      "Tell me a joke",
      "No tool matches the message. Offered: sayHello, get_weather, get_time, handoff_to_billing.",
    ],
    ["   ", "No tool matches the message."],
  ])("explains the reason for %j", async (said, expected) => {
    const reply = await ask(said);
    expect(reply).toMatchObject({ calls: [], finish: "stop" });
    expect(reply.text).toMatch(/^\(offline planner\) /);
    expect(reply.text).toContain(expected);
  });

  it("explains that there are no tools or no messages", async () => {
    expect((await ask("weather in Oslo", [])).text).toContain("Offered: none.");
    expect((await ask([])).text).toContain("No tool matches");
  });
});

describe("tool choice", () => {
  it("none makes no call", async () => {
    expect(await callsOf("weather in Oslo", tools, { settings: { toolChoice: "none" } })).toEqual([]);
  });

  it("of a named tool calls it even when the text does not match", async () => {
    const settings = { toolChoice: { tool: "get_time" } };
    expect(await callsOf("in Oslo", tools, { settings })).toEqual([["get_time", { city: "Oslo" }]]);
  });

  it("required calls the best tool, or the first one, but invents no values", async () => {
    const settings = { toolChoice: "required" } as const;
    expect(await callsOf("time in Oslo", tools, { settings })).toEqual([["get_time", { city: "Oslo" }]]);
    expect(await callsOf("in Oslo", [weather, time], { settings })).toEqual([
      ["get_weather", { city: "Oslo" }],
    ]);
    expect((await ask("well", [weather], { settings })).text).toContain("/city is required");
  });
});

describe("tool results", () => {
  const answerTo = async (...replies: readonly Message[]) =>
    (await ask([userMessage("Hello, I'm Ada"), assistantCalls("sayHello"), ...replies])).text;

  it("are repeated as text", async () => {
    expect(await answerTo(toolReply("sayHello", '"Hello, Ada!"'))).toBe(
      "(offline planner) sayHello answered: Hello, Ada!",
    );
    expect(await answerTo(toolReply("get_weather", '{"celsius":21}'))).toBe(
      '(offline planner) get_weather answered: {"celsius":21}',
    );
    expect(await answerTo(toolReply("note", "not JSON"))).toBe("(offline planner) note answered: not JSON");
  });

  it("are all repeated, including failures and pending approvals", async () => {
    const text = await answerTo(
      toolReply("get_weather", '"mild"'),
      toolReply("get_time", "Error: no clock", { ok: false }),
      toolReply("wipe", 'The call of "wipe" waits.', { ok: false, pending: "approval-1" }),
    );
    expect(text).toBe(
      '(offline planner) get_weather answered: mild\nget_time failed: no clock\nwipe waits for approval: The call of "wipe" waits.',
    );
  });

  it("are truncated when long", async () => {
    expect((await answerTo(toolReply("dump", "x".repeat(5_000)))).length).toBeLessThan(2_100);
  });

  it("of an earlier request are not repeated", async () => {
    const reply = await ask([
      userMessage("Hello, I'm Ada"),
      assistantCalls("sayHello"),
      toolReply("sayHello", '"Hello!"'),
      { role: "assistant", content: "Hello!" },
      userMessage("weather in Oslo"),
    ]);
    expect(reply.calls).toMatchObject([{ id: "call-2", tool: "get_weather" }]);
  });
});

describe("structured answer", () => {
  const output = offeredTool("answer", "", { city: stringSchema, celsius: { type: "number" } });
  const answered = (content: string): Message[] => [
    userMessage("What is the weather in Oslo?"),
    assistantCalls("get_weather"),
    toolReply("get_weather", content),
  ];

  it("has the fields of results and the values of the message", async () => {
    const reply = await ask(answered('{"celsius":21,"wind":3}'), tools, { output });
    expect(reply.text).toBe('{"city":"Oslo","celsius":21}');
    expect((await ask("Oslo has 21, city: Oslo", [], { output })).text).toBe('{"city":"Oslo","celsius":21}');
  });

  it("is text if something is missing", async () => {
    const reply = await ask(answered("rain"), tools, { output });
    expect(reply.text).toBe("(offline planner) get_weather answered: rain");
  });
});

describe("handoff", () => {
  const handedOver = toolReply("handoff_to_billing", "{}", { flow: { kind: "handoff", agent: "billing" } });
  const handed = [
    userMessage("Talk to billing, and get the weather in Oslo"),
    assistantCalls("handoff_to_billing"),
    handedOver,
  ];

  it("is a tool like any other", async () => {
    expect(await callsOf("I want to talk to billing")).toEqual([["handoff_to_billing", {}]]);
  });

  it("lets the other agent answer the same message, and is not repeated", async () => {
    expect(await callsOf(handed)).toEqual([["get_weather", { city: "Oslo" }]]);
    expect((await ask(handed, [billing])).text).toContain("No tool matches");
  });

  it("is not mentioned in the answer", async () => {
    const reply = await ask([...handed, assistantCalls("get_weather"), toolReply("get_weather", "mild")]);
    expect(reply.text).toBe("(offline planner) get_weather answered: mild");
  });
});

describe("tool search", () => {
  const meta = [
    offeredTool("load_tools", "Shows definitions", { names: { type: "array", items: stringSchema } }),
    offeredTool("search_tools", "Finds tools that are not listed", { query: stringSchema }),
  ];
  const asked = "What is the weather in Oslo?";
  const searched = [userMessage(asked), assistantCalls("search_tools")];
  const found = (...names: readonly string[]) =>
    toolReply("search_tools", JSON.stringify({ tools: names.map((name) => ({ name })) }));
  const loaded = (name: string) => toolReply("load_tools", JSON.stringify({ loaded: [name] }));

  it("starts with the message when no offered tool matches", async () => {
    expect(await callsOf(asked, [...meta, sayHello])).toEqual([["search_tools", { query: asked }]]);
    expect(await callsOf(asked, [...meta, weather])).toEqual([["get_weather", { city: "Oslo" }]]);
  });

  it("loads the best result", async () => {
    expect(await callsOf([...searched, found("get_weather", "get_time")], meta)).toEqual([
      ["load_tools", { names: ["get_weather"] }],
    ]);
  });

  it("calls the loaded tool even when its description does not match", async () => {
    const forecast = offeredTool("forecast", "Meteorological outlook", { city: stringSchema });
    expect(await callsOf([...searched, found("forecast"), loaded("forecast")], [...meta, forecast])).toEqual([
      ["forecast", { city: "Oslo" }],
    ]);
  });

  it("reports an empty search and a failed one", async () => {
    const none = toolReply("search_tools", '{"tools":[],"none":"No tool fits."}');
    expect((await ask([...searched, none], meta)).text).toContain("No tool fits.");
    const refused = toolReply("load_tools", "Error: No more tools can be loaded.", { ok: false });
    expect((await ask([...searched, found("x"), refused], meta)).text).toContain(
      "No more tools can be loaded",
    );
  });

  it("is not mentioned in the answer", async () => {
    const messages = [
      ...searched,
      found("get_weather"),
      loaded("get_weather"),
      toolReply("get_weather", "rain"),
    ];
    expect((await ask(messages, [...meta, weather])).text).toBe(
      "(offline planner) get_weather answered: rain",
    );
  });

  it("starts again after a handoff", async () => {
    const handedOver = toolReply("handoff_to_guide", "{}", { flow: { kind: "handoff", agent: "guide" } });
    expect(await callsOf([...searched, found("get_time"), handedOver], meta)).toMatchObject([
      ["search_tools", {}],
    ]);
  });

  it("requires load_tools", async () => {
    const own = [offeredTool("search_tools", "Searches the drills and saws", { query: stringSchema })];
    expect(await callsOf('search tools "drill"', own)).toEqual([["search_tools", { query: "drill" }]]);
    expect(await callsOf(asked, own)).toEqual([]);
  });
});

describe("stream", () => {
  const eventsOf = async (said: string, signal?: AbortSignal) => {
    const events: ModelEvent[] = [];
    const request = { messages: [userMessage(said)], tools };
    for await (const event of model.stream(request, signal === undefined ? {} : { signal }))
      events.push(event);
    return events;
  };

  it("emits single words and then the whole reply", async () => {
    const events = await eventsOf("Tell me a joke");
    const words = events.flatMap((event) => (event.kind === "text" ? [event.text] : []));
    const reply = await ask("Tell me a joke");
    expect(words.length).toBeGreaterThan(5);
    expect(words.join("")).toBe(reply.text);
    expect(events.at(-1)).toEqual({ kind: "reply", reply });
  });

  it("announces calls", async () => {
    const events = await eventsOf("weather in Oslo; weather in Rome");
    expect(events.map(({ kind }) => kind)).toEqual(["call", "call", "reply"]);
    expect(events[1]).toEqual({ kind: "call", id: "call-2", tool: "get_weather" });
  });

  it("is cancelled before it starts and while it runs", async () => {
    await expect(eventsOf("Tell me a joke", AbortSignal.abort())).rejects.toThrow(ToolCancelledError);
    const controller = new AbortController();
    const seen: ModelEvent[] = [];
    const reading = async () => {
      for await (const event of model.stream(
        { messages: [userMessage("Tell me a joke")], tools },
        { signal: controller.signal },
      )) {
        seen.push(event);
        if (seen.length === 2) controller.abort();
      }
    };
    await expect(reading()).rejects.toThrow(ToolCancelledError);
    expect(seen).toHaveLength(2);
  });
});

describe("offline model", () => {
  it("rejects a cancelled request", async () => {
    const asking = model.generate(
      { messages: [userMessage("Hello")], tools },
      { signal: AbortSignal.abort() },
    );
    await expect(asking).rejects.toThrow(ToolCancelledError);
  });

  it("rejects an invalid threshold", () => {
    for (const minScore of [0, 1.5, Number.NaN, "0.5" as never])
      expect(() => offline({ minScore })).toThrow(ConfigurationError);
  });

  it("makes fewer calls with a higher threshold", async () => {
    const strict = offline({ minScore: 0.9 });
    const reply = await strict.generate({ messages: [userMessage("What's the weather in Oslo?")], tools });
    expect(reply.calls).toEqual([]);
  });
});
