import { ModelError } from "../../words/errors.ts";
import type { Message } from "../../words/message.ts";
import type { Finish, ModelEvent, ModelReply } from "../../words/model.ts";
import { callNamer } from "../call-namer.ts";
import { callCollector } from "../read-calls.ts";
import { count, deltaOf, field, itemsOf, textIn, toModelReply } from "../reply.ts";

/** Old servers give no reason. `load` and `unload` answer a conversation without messages. */
const readFinish = (reason: unknown): Finish => {
  if (reason === "length") return "length";
  return reason === undefined || reason === "stop" ? "stop" : "other";
};

/** Reads the events of a stream, or a whole body as the only one. A reply without its end is an error. */
export const ollamaReader = (id: string, messages: readonly Message[]) => {
  const collector = callCollector("ollama");
  const namer = callNamer("ollama", messages);
  const text: string[] = [];
  const thoughts: string[] = [];
  let last: unknown;

  const unreadable = (what: string): ModelError =>
    new ModelError("model_unreadable", `${id}: the provider's answer ${what}.`);

  const push = (event: unknown): readonly ModelEvent[] => {
    const message = field(event, "message");
    if (typeof message !== "object" || message === null) throw unreadable("has no message");
    last = event;
    const content = textIn(field(message, "content"));
    text.push(content);
    const thought = textIn(field(message, "thinking"));
    thoughts.push(thought);
    for (const call of itemsOf(field(message, "tool_calls"))) namer.wrote(field(call, "id"));
    const begun = collector.push(event).map(namer.named);
    return [
      ...deltaOf("reasoning", thought),
      ...deltaOf("text", content),
      ...begun.map((call) => ({ kind: "call" as const, id: call.id, tool: call.tool })),
    ];
  };

  const reply = (): ModelReply => {
    if (field(last, "done") !== true) throw unreadable("ended before it was done");
    const thinking = thoughts.join("");
    return toModelReply({
      text: text.join(""),
      calls: collector.calls().map(namer.named),
      // A prompt that was cached whole is not counted by the server.
      usage: {
        inputTokens: count(field(last, "prompt_eval_count")),
        outputTokens: count(field(last, "eval_count")),
      },
      finish: readFinish(field(last, "done_reason")),
      reasoning: thinking,
      echo: thinking === "" ? undefined : { wire: "ollama", data: { thinking } },
    });
  };

  return { push, reply };
};
