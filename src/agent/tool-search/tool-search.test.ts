import { agent, Haft, type HaftOptions, type Message, type ModelRequest, tool } from "haft";
import { calls, type Line, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import type { AnyTool } from "../../words/tool.ts";

const made = (name: string, description: string, more: object = {}): AnyTool =>
  tool({
    name,
    description,
    input: { type: "object", properties: { id: { type: "string" } } },
    run: () => `${name} ran`,
    ...more,
  }) as AnyTool;

const tools = [
  made("refund_order", "Pays the money of an order back. Takes its id."),
  made("send_email", "Sends an email to a customer"),
  made("get_weather", "The weather of a city today"),
  made("list_invoices", "Lists the invoices of a customer"),
  made("delete_account", "Deletes the account of a customer"),
];
const everyone = { agent: "desk", allow: ["*"] };

interface Scene extends Pick<HaftOptions, "policy" | "principal"> {
  readonly more?: object;
  readonly all?: readonly AnyTool[];
}

const scene = async (lines: readonly Line[], { more = {}, all = tools, ...options }: Scene = {}) => {
  const model = scriptedModel(lines);
  const haft = await Haft.open({ tools: all, principal: everyone, ...options } as never);
  const desk = agent({
    name: "desk",
    instructions: "Help.",
    model,
    tools: ["*"],
    toolSearch: true,
    ...more,
  });
  return { haft, desk, model, shown: () => model.requests.map(names) };
};

const names = ({ tools: listed }: ModelRequest): readonly string[] => listed.map(({ wireName }) => wireName);
const replies = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((one) => (one.role === "tool" ? [one.content] : []));

describe("an agent that searches its tools", () => {
  it("shows its model the search at first, and what was loaded from then on", async () => {
    const { haft, desk, shown } = await scene([
      calls(["search_tools", { query: "refund an order" }]),
      calls(["load_tools", { names: ["send_email", "refund_order"] }]),
      calls(["refund_order", { id: "7" }]),
      says("Done."),
    ]);
    const { context, toolsUsed } = await haft.run(desk, "Refund order 7");
    expect(shown()).toEqual([
      ["load_tools", "search_tools"],
      ["load_tools", "search_tools"],
      ["load_tools", "search_tools", "refund_order", "send_email"],
      ["load_tools", "search_tools", "refund_order", "send_email"],
    ]);
    const [found, loaded, ran] = replies(context);
    expect(JSON.parse(found!).tools[0]).toEqual({
      name: "refund_order",
      summary: "Pays the money of an order back.",
      score: expect.any(Number),
    });
    expect(JSON.parse(loaded!)).toEqual({ loaded: ["refund_order", "send_email"] });
    expect(ran).toBe('"refund_order ran"');
    expect(toolsUsed.map(({ ok }) => ok)).toEqual([true, true, true]);
  });
});
