import type { Model, ModelReply, ModelRequest } from "haft";

type Line = Partial<ModelReply> | ((request: ModelRequest) => Partial<ModelReply>);

/** Says what is written down for it, one line after another: for stories about what happens around a model. */
export const scriptedModel = (...script: readonly Line[]): Model => {
  const lines = script.values();
  const answer = async (request: ModelRequest): Promise<ModelReply> => {
    const { value: line = { text: "(the script is at its end)" } } = lines.next();
    const said = typeof line === "function" ? line(request) : line;
    const { text = "", calls = [], usage = { inputTokens: 10, outputTokens: 5 } } = said;
    return { text, calls, usage, finish: calls.length > 0 ? "calls" : "stop", ...said };
  };
  return {
    id: "scripted/model",
    generate: answer,
    async *stream(request) {
      const reply = await answer(request);
      if (reply.text !== "") yield { kind: "text", text: reply.text };
      yield { kind: "reply", reply };
    },
  };
};
