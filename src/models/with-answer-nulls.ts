import type { ModelEvent, ModelReply, ModelRequest } from "../types/model.ts";
import { strictNulls } from "./dialects/openai/strict-nulls.ts";
import type { ModelVendor } from "./vendor-model.ts";

export const withAnswerNulls = (vendor: ModelVendor): ModelVendor => ({
  ...vendor,
  generate: async (request, signal) => markNulls(request, await vendor.generate(request, signal)),
  async *stream(request, signal): AsyncGenerator<ModelEvent, void> {
    for await (const event of vendor.stream(request, signal)) {
      yield event.kind === "reply" ? { kind: "reply", reply: markNulls(request, event.reply) } : event;
    }
  },
});

const markNulls = ({ output }: ModelRequest, reply: ModelReply): ModelReply => {
  const nulls = output === undefined ? [] : strictNulls(output.spec);
  return nulls.length === 0 ? reply : { ...reply, nulls };
};
