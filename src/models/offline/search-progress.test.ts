import { expect, it } from "vitest";
import {
  assistantCalls,
  offeredTool,
  stringSchema,
  toolReply,
  userMessage,
} from "../../../test/kit/offline-messages.ts";
import type { Message } from "../../types/message.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";
import { offline } from "../offline.ts";

const model = offline();
const ask = (said: string | readonly Message[], tools: readonly OfferedTool[]) =>
  model.generate({ messages: typeof said === "string" ? [userMessage(said)] : said, tools, settings: {} });

const weather = offeredTool("get_weather", "Current weather for a city", { city: stringSchema });
const add = offeredTool("add", "Adds two numbers", { a: { type: "number" }, b: { type: "number" } });
const found = (...names: readonly string[]) =>
  JSON.stringify({ tools: names.map((name) => ({ name, summary: "…", score: 0.5 })) });
const meta = [
  offeredTool("load_tools", "Shows definitions", { names: { type: "array", items: stringSchema } }),
  offeredTool("search_tools", "Finds tools that you are not shown", { query: stringSchema }),
];
const asked = "What is the weather in Oslo?";
const searched = [userMessage(asked), assistantCalls("search_tools")];

it("searches for tools with the text of the user when no listed tool matches", async () => {
  const { calls } = await ask(asked, [...meta, add]);
  expect(calls).toMatchObject([{ tool: "search_tools", input: JSON.stringify({ query: asked }) }]);
  expect((await ask(asked, [...meta, weather])).calls).toMatchObject([{ tool: "get_weather" }]);
});

it("loads the best result of a search or the best one for each wish", async () => {
  const best = [...searched, toolReply("search_tools", found("get_weather", "get_time"))];
  expect((await ask(best, meta)).calls).toMatchObject([
    { tool: "load_tools", input: '{"names":["get_weather"]}' },
  ]);
  const wishes = [
    { wish: "a", tools: ["get_weather", "get_time"] },
    { wish: "b", tools: ["send_mail"] },
  ];
  const each = [...searched, toolReply("search_tools", JSON.stringify({ tools: [], wishes }))];
  expect((await ask(each, meta)).calls).toMatchObject([{ input: '{"names":["get_weather","send_mail"]}' }]);
});

it("calls the loaded tool even when its description does not match", async () => {
  const loaded = (name: string) => [...searched, toolReply("load_tools", JSON.stringify({ loaded: [name] }))];
  expect((await ask(loaded("get_weather"), [...meta, weather])).calls).toMatchObject([
    { tool: "get_weather", input: '{"city":"Oslo"}' },
  ]);
  const forecast = offeredTool("forecast", "Meteorological outlook", { city: stringSchema });
  expect((await ask(loaded("forecast"), [...meta, forecast])).calls).toMatchObject([{ tool: "forecast" }]);
});

it("reports an empty search in its own words without searching again", async () => {
  const none = JSON.stringify({ tools: [], none: "No tool fits this question." });
  const reply = await ask([...searched, toolReply("search_tools", none)], meta);
  expect(reply).toMatchObject({ text: "(offline planner) No tool fits this question.", calls: [] });
  const refused = toolReply("load_tools", "Error: No more tools can be loaded.", { ok: false });
  const after = await ask([...searched, toolReply("search_tools", found("x")), refused], meta);
  expect(after.text).toContain("No more tools can be loaded");
});

it("reports the result of the tool instead of the search", async () => {
  const messages = [
    ...searched,
    toolReply("search_tools", found("get_weather")),
    toolReply("get_weather", "rain"),
  ];
  expect((await ask(messages, [...meta, weather])).text).toBe("(offline planner) get_weather answered: rain");
});

it("searches again after a handoff", async () => {
  const messages = [
    ...searched,
    toolReply("search_tools", found("get_time")),
    assistantCalls("handoff_to_guide"),
    toolReply("handoff_to_guide", "{}"),
  ];
  expect((await ask(messages, meta)).calls).toMatchObject([{ tool: "search_tools" }]);
});

it("does not treat search_tools as a search without load_tools", async () => {
  const own = [
    offeredTool("search_tools", "Searches the drills and saws of the workshop", { query: stringSchema }),
  ];
  expect((await ask('search tools for "drill"', own)).calls).toMatchObject([{ tool: "search_tools" }]);
  expect((await ask(asked, own)).calls).toEqual([]);
});
