import { agent, Haft, type HaftOptions, type Message, type ModelRequest, tool } from "haft";
import { type ScriptLine, scriptedModel } from "haft/testing";
import type { AnyTool } from "../../src/types/tool.ts";

export const toolWith = (name: string, description: string, more: object = {}): AnyTool =>
  tool({
    name,
    description,
    input: { type: "object", properties: { id: { type: "string" } } },
    run: () => `${name} ran`,
    ...more,
  }) as AnyTool;

export const searchSceneTools = [
  toolWith("refund_order", "Pays the money of an order back. Takes its id."),
  toolWith("send_email", "Sends an email to a customer"),
  toolWith("get_weather", "The weather of a city today"),
  toolWith("list_invoices", "Lists the invoices of a customer"),
  toolWith("delete_account", "Deletes the account of a customer"),
];
export const deskPrincipal = { agent: "desk", allow: ["*"] };

interface Scene extends Pick<HaftOptions, "policy" | "principal"> {
  readonly more?: object;
  readonly all?: readonly AnyTool[];
}

/** An agent that searches five tools by default, with a model that follows this script. */
export const searchScene = async (
  lines: readonly ScriptLine[],
  { more = {}, all = searchSceneTools, ...options }: Scene = {},
) => {
  const model = scriptedModel(lines);
  const haft = await Haft.open({ tools: all, principal: deskPrincipal, ...options } as never);
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
export const toolReplies = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((one) => (one.role === "tool" ? [one.content] : []));
