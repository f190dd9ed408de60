import type { RawCall } from "../types/call.ts";
import type { AcceptedMedia, Model, ModelEvent, ModelReply, ModelRequest } from "../types/model.ts";

type PartialReply = Partial<ModelReply>;

/** One reply of a script. An error is thrown instead. */
export type ScriptLine =
  | PartialReply
  | ((request: ModelRequest, turn: number) => PartialReply | Promise<PartialReply>)
  | Error;

/** A model with prepared replies. It records its requests. */
export interface ScriptedModel extends Model {
  /** The requests, as they were when they were made. */
  readonly requests: ModelRequest[];
}

export interface ScriptOptions {
  /** Default: `scripted/model`. */
  readonly id?: string;
  /** If missing, the model answers with a tool call instead. */
  readonly takesOutput?: Model["takesOutput"];
  /** Which media it accepts. Default: none. */
  readonly takes?: AcceptedMedia;
}

/** Creates a model that answers the nth request with the nth line. Missing fields of a line are filled in. */
export const scriptedModel = (
  script: readonly ScriptLine[],
  { id = "scripted/model", takesOutput, takes }: ScriptOptions = {},
): ScriptedModel => {
  const requests: ModelRequest[] = [];
  const answer = async (request: ModelRequest, signal: AbortSignal | undefined): Promise<ModelReply> => {
    signal?.throwIfAborted();
    requests.push({ ...request, messages: [...request.messages] });
    const turn = requests.length;
    const line = script[turn - 1];
    if (line === undefined) {
      throw new Error(`The script has ${script.length} answers, but the model was asked ${turn} times.`);
    }
    if (line instanceof Error) throw line;
    const given = typeof line === "function" ? await raceAbort(line(request, turn), signal) : line;
    signal?.throwIfAborted();
    return toModelReply(given);
  };

  async function* stream(request: ModelRequest, signal: AbortSignal | undefined): AsyncGenerator<ModelEvent> {
    const reply = await answer(request, signal);
    if (reply.reasoning !== undefined) yield { kind: "reasoning", text: reply.reasoning };
    for (const text of reply.text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []) {
      signal?.throwIfAborted();
      yield { kind: "text", text };
    }
    for (const { id, tool } of reply.calls) yield { kind: "call", id, tool };
    yield { kind: "reply", reply };
  }

  return {
    id,
    requests,
    ...(takesOutput === undefined ? {} : { takesOutput }),
    ...(takes === undefined ? {} : { takes }),
    generate: (request, options) => answer(request, options?.signal),
    stream: (request, options) => stream(request, options?.signal),
  };
};

/** A reply that is only text. */
export const says = (text: string): PartialReply => ({ text });

/**
 * A reply that calls tools. String arguments are sent unchanged; ids are unique in the script unless given.
 */
export const calls =
  (...asked: readonly (readonly [tool: string, input: unknown, id?: string])[]) =>
  (_: ModelRequest, turn: number): PartialReply => ({
    calls: asked.map(
      ([tool, input, id], index): RawCall => ({
        id: id ?? `call-${turn}-${index + 1}`,
        tool,
        input: typeof input === "string" ? input : JSON.stringify(input),
        index,
      }),
    ),
  });

const toModelReply = ({ calls = [], ...given }: PartialReply): ModelReply => ({
  text: "",
  usage: { inputTokens: 0, outputTokens: 0 },
  finish: calls.length > 0 ? "calls" : "stop",
  ...given,
  calls,
});

const raceAbort = async <Value>(
  value: Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> => {
  if (signal === undefined || !(value instanceof Promise)) return value;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([value, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
};
