import { describe, expect, it } from "vitest";
import type { Session } from "../runtime/session.ts";
import { createUntrustedPartNoter } from "./ai-sdk/haft-model.ts";
import { hasProviderContent } from "./langchain/middleware.ts";
import { haftModel } from "./openai-agents/haft-model.ts";

/** A session that records the noted taints. */
const session = () => {
  const noted: string[] = [];
  const made = {
    note: async (messages: readonly { readonly taints?: readonly string[] }[]) => {
      noted.push(...messages.flatMap(({ taints = [] }) => taints));
    },
    model: async () => ({
      ask: ({ ask }: { ask: (signal: AbortSignal) => unknown }) => ask(AbortSignal.any([])),
    }),
  };
  return { noted, session: made as unknown as Session };
};

describe("untrusted content of a provider in the AI SDK", () => {
  it.each<readonly [string, object, readonly string[]]>([
    ["text", { type: "text", text: "Hi" }, []],
    ["a delta", { type: "text-delta", id: "1", delta: "Hi" }, []],
    ["a call of the loop's own", { type: "tool-call", toolCallId: "c", toolName: "pay" }, []],
    [
      "a call of the provider",
      { type: "tool-call", toolCallId: "c", toolName: "search", providerExecuted: true },
      ["search"],
    ],
    ["a result", { type: "tool-result", toolCallId: "c", toolName: "search" }, ["search"]],
    ["a source", { type: "source", id: "s" }, ["source"]],
    [
      "a citation at the end of a text",
      { type: "text-end", id: "1", providerMetadata: { a: { citations: [1] } } },
      ["citations"],
    ],
    [
      "grounding at the end",
      { type: "finish", providerMetadata: { google: { groundingMetadata: { x: 1 } } } },
      ["groundingMetadata"],
    ],
    ["a part of an unknown kind", { type: "dream" }, ["dream"]],
    ["the start of a stream", { type: "stream-start" }, []],
  ])("is noted as expected for %s", async (_, part, taints) => {
    const { noted, session: made } = session();
    const note = createUntrustedPartNoter(made);
    await note(part as never);
    await note(part as never);
    expect(noted).toEqual(taints);
  });
});

describe("untrusted content of a provider in a LangChain message", () => {
  const said = (more: object) => ({ content: "Hi", contentBlocks: [{ type: "text" }], ...more });
  const cited = { type: "text", annotations: [{ type: "citation" }] };

  it.each<readonly [string, object, boolean]>([
    ["text", said({}), false],
    ["a call", said({ contentBlocks: [{ type: "tool_call" }] }), false],
    ["a native block", said({ content: [{ type: "server_tool_use" }] }), true],
    ["a citation", said({ contentBlocks: [cited] }), true],
    ["a block of an unknown kind", said({ contentBlocks: [{ type: "dream" }] }), true],
    ["grounding", said({ response_metadata: { groundingMetadata: { x: 1 } } }), true],
    [
      "outputs of OpenAI's tools",
      said({ additional_kwargs: { tool_outputs: [{ type: "web_search_call" }] } }),
      true,
    ],
    ["items of a response", said({ response_metadata: { output: [{ type: "file_search_call" }] } }), true],
    ["plain items of a response", said({ response_metadata: { output: [{ type: "reasoning" }] } }), false],
  ])("is detected as expected for %s", (_, message, isFound) => {
    expect(hasProviderContent(message as never)).toBe(isFound);
  });
});

describe("untrusted content of a provider in the OpenAI Agents SDK", () => {
  const output = [
    { type: "message", content: [{ type: "output_text", text: "x", providerData: { annotations: [1] } }] },
    { type: "function_call", name: "pay", callId: "c", arguments: "{}" },
    { type: "hosted_tool_call", name: "web_search_call" },
    { type: "dream" },
  ];
  const taints = ["annotations", "web_search_call", "dream"];

  it("is noted before the loop reads the response, whole or streamed", async () => {
    const response = { output, usage: { inputTokens: 1, outputTokens: 1 } };
    const events = [{ type: "response_done", response }];
    const model = {
      getResponse: async () => response,
      getStreamedResponse: async function* () {
        yield* events;
      },
    };
    const whole = session();
    await haftModel(whole.session, "x", model as never).getResponse({ input: "Hi" } as never);
    expect(whole.noted).toEqual(taints);
    const streamed = session();
    const stream = haftModel(streamed.session, "x", model as never).getStreamedResponse({
      input: "Hi",
    } as never);
    for await (const _ of stream) expect(streamed.noted).toEqual(taints);
  });
});
