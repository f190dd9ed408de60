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
import type { Model, ModelEvent, ModelSettings } from "../types/model.ts";
import type { OfferedTool } from "./dialects/offered-tool.ts";
import { offline } from "./offline.ts";

const sayHello = offeredTool("sayHello", "Greets somebody by name", { name: stringSchema });
const weather = offeredTool("get_weather", "Current weather for a city", { city: stringSchema });
const time = offeredTool("get_time", "Local time of a city", { city: stringSchema });
const add = offeredTool("add", "Adds two numbers", { a: { type: "number" }, b: { type: "number" } });
const mail = offeredTool("send_mail", "Sends a mail", {
  to: { type: "string", format: "email" },
  subject: stringSchema,
});
const search = offeredTool("web_search", "Search the web", { query: stringSchema });
const shopping = offeredTool("add_to_shopping_list", "Adds items to the shopping list", {
  items: { type: "array", items: stringSchema },
});
const billing = offeredTool(
  "handoff_to_billing",
  "Hands the conversation over to billing",
  { reason: stringSchema },
  [],
);
const tools = [sayHello, weather, time, add, mail, search, shopping, billing];

const model: Model = offline();
const ask = (
  messages: string | readonly Message[],
  shown: readonly OfferedTool[] = tools,
  settings: ModelSettings = {},
) =>
  model.generate({
    messages: typeof messages === "string" ? [userMessage(messages)] : messages,
    tools: shown,
    settings,
  });
const callsOf = async (said: string, shown?: readonly OfferedTool[]) =>
  (await ask(said, shown)).calls.map(({ tool, input }) => [tool, JSON.parse(input as string)]);

describe("offline planner", () => {
  it("calls the matching tool with the name from the text", async () => {
    expect(await ask("Hello, I'm Ada", [sayHello])).toEqual({
      text: "",
      calls: [{ id: "call-1", tool: "sayHello", input: '{"name":"Ada"}', index: 0, finish: "complete" }],
      usage: { inputTokens: 8, outputTokens: 2 },
      finish: "calls",
    });
  });

  it("has a descriptive id", () => {
    expect(model.id).toBe("offline/planner");
  });

  it.each<[string, readonly (readonly [string, unknown])[]]>([
    ["What's the weather in Oslo?", [["get_weather", { city: "Oslo" }]]],
    ["Hi, my name is Grace Hopper", [["sayHello", { name: "Grace Hopper" }]]],
    ["add 2 and 3", [["add", { a: 2, b: 3 }]]],
    ["search the web for cats and dogs", [["web_search", { query: "cats and dogs" }]]],
    ["add milk and eggs to the shopping list", [["add_to_shopping_list", { items: ["milk", "eggs"] }]]],
    [
      `Send a mail to bob@x.org with the subject "weather and time in Oslo"`,
      [["send_mail", { to: "bob@x.org", subject: "weather and time in Oslo" }]],
    ],
  ])("makes one call for %j", async (said, calls) => {
    expect(await callsOf(said)).toEqual(calls);
  });

  it.each<[string, readonly (readonly [string, unknown])[]]>([
    [
      "weather in Oslo and in Paris",
      [
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Paris" }],
      ],
    ],
    [
      "the weather in Oslo, New York and Rome?",
      [
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "New York" }],
        ["get_weather", { city: "Rome" }],
      ],
    ],
    [
      "What time is it in Oslo and what is the weather in Paris?",
      [
        ["get_time", { city: "Oslo" }],
        ["get_weather", { city: "Paris" }],
      ],
    ],
    [
      "Hello, I'm Ada; add 2 and 3",
      [
        ["sayHello", { name: "Ada" }],
        ["add", { a: 2, b: 3 }],
      ],
    ],
    [
      "Say hello to Ada and Bob",
      [
        ["sayHello", { name: "Ada" }],
        ["sayHello", { name: "Bob" }],
      ],
    ],
    [
      "weather in Paris, France and Oslo, Norway",
      [
        ["get_weather", { city: "Paris" }],
        ["get_weather", { city: "Oslo" }],
      ],
    ],
  ])("makes several calls for %j", async (said, calls) => {
    expect(await callsOf(said)).toEqual(calls);
  });

  it("makes one call for a repeated request", async () => {
    expect(await callsOf("weather in Oslo; the weather in Oslo!")).toEqual([
      ["get_weather", { city: "Oslo" }],
    ]);
  });
});

describe("reply without a call", () => {
  it.each([
    ["What's the weather?", "Before I can call get_weather I need: city."],
    ["Send a mail to bob@x.org", "Before I can call send_mail I need: subject."],
    ["Add 2, 3 and 4", "Before I can call add I need: a; b."],
    ["What's the weather in Oslo and what time is it?", "Before I can call get_time I need: city."],
    ["Tell me a joke", "None of my tools fits these words. I am shown: sayHello, get_weather,"],
    ["   ", "Nothing new is asked of me."],
    ["weather ".repeat(2_000), "longer than the 10000 characters I read"],
  ])("explains the reason for %j", async (said, expected) => {
    const reply = await ask(said);
    expect(reply.calls).toEqual([]);
    expect(reply.finish).toBe("stop");
    expect(reply.text).toMatch(/^\(offline planner\) /);
    expect(reply.text).toContain(expected);
  });

  it("explains that there are no tools", async () => {
    expect((await ask("weather in Oslo", [])).text).toBe(
      "(offline planner) I am shown no tools, and choosing tools by their words is all I can do.",
    );
  });

  it("explains that there is no question", async () => {
    for (const messages of [
      [],
      [{ role: "system", content: "Be kind." } as const],
      [userMessage("Hm"), assistantCalls()],
    ])
      expect((await ask(messages)).text).toContain("Nothing new is asked of me.");
  });
});

describe("tool choice", () => {
  it("none makes no call", async () => {
    const reply = await ask("weather in Oslo", tools, { toolChoice: "none" });
    expect(reply).toMatchObject({ calls: [], finish: "stop" });
  });

  it("of a named tool calls it even when the text does not match", async () => {
    const reply = await ask("in Oslo", tools, { toolChoice: { tool: "get_time" } });
    expect(reply.calls).toMatchObject([{ tool: "get_time", input: '{"city":"Oslo"}' }]);
    const handed = await ask("go", tools, { toolChoice: { tool: "handoff_to_billing" } });
    expect(handed.calls).toMatchObject([{ tool: "handoff_to_billing", input: "{}" }]);
  });

  it("required calls the best tool but invents no values", async () => {
    const wanted: ModelSettings = { toolChoice: "required" };
    expect((await ask("in Oslo", [weather], wanted)).calls).toHaveLength(1);
    expect((await ask("well", [weather], wanted)).text).toContain("I need: city");
  });

  it("uses the wire name", async () => {
    const reply = await ask("weather in Oslo", [{ ...weather, wireName: "eu__get_weather" }]);
    expect(reply.calls[0]?.tool).toBe("eu__get_weather");
  });
});

describe("tool results", () => {
  const answerTo = (...replies: readonly Message[]) =>
    ask([userMessage("Hello, I'm Ada"), assistantCalls("sayHello"), ...replies]);

  it("are repeated as text", async () => {
    const reply = await answerTo(toolReply("sayHello", '"Hello, Ada!"'));
    expect(reply).toMatchObject({
      text: "(offline planner) sayHello answered: Hello, Ada!",
      calls: [],
      finish: "stop",
    });
    expect((await answerTo(toolReply("get_weather", '{"celsius":21}'))).text).toBe(
      '(offline planner) get_weather answered: {"celsius":21}',
    );
    expect((await answerTo(toolReply("note", "not JSON"))).text).toBe(
      "(offline planner) note answered: not JSON",
    );
  });

  it("are all repeated, including failures and pending approvals", async () => {
    const reply = await answerTo(
      toolReply("get_weather", '"mild"'),
      toolReply("get_time", "Error: no clock", { ok: false }),
      toolReply("wipe", 'The call of "wipe" waits.', { ok: false, pending: "approval-1" }),
    );
    expect(reply.text).toBe(
      '(offline planner) get_weather answered: mild\nget_time failed: no clock\nwipe waits for approval: The call of "wipe" waits.',
    );
  });

  it("are truncated when long", async () => {
    const { text } = await answerTo(toolReply("dump", "x".repeat(5_000)));
    expect(text.length).toBeLessThan(2_100);
    expect(text).toContain("(3000 more characters)");
  });

  it("of an earlier question are not repeated", async () => {
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

describe("handoff", () => {
  it.each(["Please transfer me to billing.", "I want to talk to Billing", "hand me over to billing"])(
    "is called when requested: %s",
    async (said) => {
      expect(await callsOf(said)).toEqual([["handoff_to_billing", {}]]);
    },
  );

  it.each(["I have a question about billing", "Hands up", "Transfer 5 EUR"])(
    "is not called for %j",
    async (said) => {
      expect((await callsOf(said)).map(([name]) => name)).not.toContain("handoff_to_billing");
    },
  );

  it("lets the other agent answer the same question and happens only once", async () => {
    const question = userMessage("Talk to billing about the weather in Oslo");
    const handed = [question, assistantCalls("handoff_to_billing"), toolReply("handoff_to_billing", "{}")];
    expect((await ask(handed)).calls).toMatchObject([{ id: "call-2", tool: "get_weather" }]);
    expect((await ask(handed, [billing])).calls).toEqual([]);
  });

  it("is not mentioned when tools of the other agent have answered", async () => {
    const question = userMessage("Talk to billing about the weather in Oslo");
    const handed = [question, assistantCalls("handoff_to_billing"), toolReply("handoff_to_billing", "{}")];
    const reply = await ask([...handed, assistantCalls("get_weather"), toolReply("get_weather", '"mild"')]);
    expect(reply.text).toBe("(offline planner) get_weather answered: mild");
  });

  it("stops after three rounds", async () => {
    const round = [assistantCalls("handoff_to_billing"), toolReply("handoff_to_billing", "{}")];
    const reply = await ask([userMessage("weather in Oslo"), ...round, ...round, ...round]);
    expect(reply.text).toContain("handoff_to_billing answered");
  });
});

describe("call ids", () => {
  it("continue the numbering of the conversation", async () => {
    const messages: Message[] = [
      userMessage("x"),
      {
        role: "assistant",
        content: "",
        calls: [
          { id: "call-3", tool: "t", input: "{}" },
          { id: "toolu_1", tool: "t", input: "{}" },
        ],
      },
      toolReply("t", "1"),
      toolReply("t", "1"),
      userMessage("weather in Oslo and in Paris"),
    ];
    expect((await ask(messages)).calls.map(({ id }) => id)).toEqual(["call-4", "call-5"]);
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
    const events = await eventsOf("weather in Oslo and in Paris");
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
