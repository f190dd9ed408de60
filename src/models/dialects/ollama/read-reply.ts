import { ModelError } from "../../../types/errors.ts";
import type { Message } from "../../../types/message.ts";
import type { FinishReason, ModelEvent, ModelReply } from "../../../types/model.ts";
import {
  deltaOf,
  readField,
  toCount,
  toItems,
  toModelReply,
  toTextOrEmpty,
  untrustedSourceNames,
} from "../model-reply.ts";
import { callCollector } from "../read-calls.ts";
import { callNamer } from "../to-vendor-messages.ts";

/** Old servers omit the reason. */
const readFinish = (reason: unknown): FinishReason => {
  if (reason === "length") return "length";
  return reason === undefined || reason === "stop" ? "stop" : "other";
};

/** Throws for an incomplete reply. */
export const ollamaReader = (id: string, messages: readonly Message[]) => {
  const collector = callCollector("ollama");
  const namer = callNamer("ollama", messages);
  const text: string[] = [];
  const thoughts: string[] = [];
  const taints = new Set<string>();
  let last: unknown;

  const unreadable = (what: string): ModelError =>
    new ModelError("model_unreadable", `${id}: the provider's answer ${what}.`);

  const push = (event: unknown): readonly ModelEvent[] => {
    const message = readField(event, "message");
    if (typeof message !== "object" || message === null) throw unreadable("has no message");
    last = event;
    for (const source of [...untrustedSourceNames(event), ...untrustedSourceNames(message)])
      taints.add(source);
    const content = toTextOrEmpty(readField(message, "content"));
    text.push(content);
    const thought = toTextOrEmpty(readField(message, "thinking"));
    thoughts.push(thought);
    for (const call of toItems(readField(message, "tool_calls"))) namer.wrote(readField(call, "id"));
    const startedCalls = collector.push(event).map(namer.named);
    return [
      ...deltaOf("reasoning", thought),
      ...deltaOf("text", content),
      ...startedCalls.map((call) => ({ kind: "call" as const, id: call.id, tool: call.tool })),
    ];
  };

  const reply = (): ModelReply => {
    if (readField(last, "done") !== true) throw unreadable("ended too early");
    const thinking = thoughts.join("");
    return toModelReply({
      text: text.join(""),
      calls: collector.calls().map(namer.named),
      // The server does not count a completely cached prompt.
      usage: {
        inputTokens: toCount(readField(last, "prompt_eval_count")),
        outputTokens: toCount(readField(last, "eval_count")),
      },
      finish: readFinish(readField(last, "done_reason")),
      reasoning: thinking,
      echo: thinking === "" ? undefined : { wire: "ollama", data: { thinking } },
      taints: [...taints],
    });
  };

  return { push, reply };
};
