import { agent, Haft, type HaftOptions, type Message, type ModelRequest, tool } from "haft";
import { type Line, scriptedModel } from "haft/testing";
import type { AnyTool } from "../../src/words/tool.ts";

export const made = (name: string, description: string, more: object = {}): AnyTool =>
  tool({
    name,
    description,
    input: { type: "object", properties: { id: { type: "string" } } },
    run: () => `${name} ran`,
    ...more,
  }) as AnyTool;

export const tools = [
  made("refund_order", "Pays the money of an order back. Takes its id."),
  made("send_email", "Sends an email to a customer"),
  made("get_weather", "The weather of a city today"),
  made("list_invoices", "Lists the invoices of a customer"),
  made("delete_account", "Deletes the account of a customer"),
];
export const everyone = { agent: "desk", allow: ["*"] };

interface Scene extends Pick<HaftOptions, "policy" | "principal"> {
  readonly more?: object;
  readonly all?: readonly AnyTool[];
}

/** An agent that searches five tools unless told otherwise, with a model that says these lines. */
export const scene = async (lines: readonly Line[], { more = {}, all = tools, ...options }: Scene = {}) => {
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
export const replies = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((one) => (one.role === "tool" ? [one.content] : []));
