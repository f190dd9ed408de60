import fc from "fast-check";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "haft/models";

/** One model turn: pieces of text and calls. */
export interface RandomTurn {
  readonly pieces: readonly string[];
  readonly calls: readonly string[];
  /** Breaks off after its first piece and is repeated. */
  readonly breaks: boolean;
}

/** Turns with calls, and a last one without. */
export type RandomAnswer = readonly RandomTurn[];

const piece = fc.constantFrom("one ", "two\n", "drei ü ", '"four" ', "{five} ", "  ");
const pieces = fc.array(piece, { maxLength: 4 });
const tools = fc.constantFrom("find_order", "refund", "broken", "no_such_tool");
const callingTurn = fc.record({
  pieces,
  calls: fc.array(tools, { minLength: 1, maxLength: 3 }),
  breaks: fc.boolean(),
});
const lastTurn = fc.record({
  pieces: pieces.map((some) => [...some, "end."]),
  calls: fc.constant([]),
  breaks: fc.boolean(),
});

export const randomAnswer: fc.Arbitrary<RandomAnswer> = fc
  .tuple(fc.array(callingTurn, { maxLength: 2 }), lastTurn)
  .map(([turns, end]) => [...turns, end]);

/**
 * Replies to each message with its random answer, derived from the conversation, so that any process gives
 * the same reply. Arguments name the message and the turn, which makes each call unique.
 */
export const randomModel = (answers: ReadonlyMap<string, RandomAnswer>): Model => {
  const broken = new Set<string>();
  async function* stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    const at = messages.findLastIndex(({ role }) => role === "user");
    const name = messages[at]?.content as string;
    const number = messages.slice(at).filter(({ role }) => role === "assistant").length;
    const turns = answers.get(name)!;
    const { pieces, calls, breaks } = turns[Math.min(number, turns.length - 1)]!;
    const isFirst = !broken.has(`${name}/${number}`);
    broken.add(`${name}/${number}`);
    for (const [index, text] of pieces.entries()) {
      if (breaks && isFirst && index === 1) throw Object.assign(new Error("overloaded"), { status: 529 });
      yield { kind: "text", text };
    }
    yield { kind: "reply", reply: toReply(name, number, pieces, calls) };
  }
  return {
    id: "random/model",
    stream: (request) => stream(request),
    generate: async (request) => {
      for await (const event of stream(request)) if (event.kind === "reply") return event.reply;
      throw new Error("It said nothing.");
    },
  };
};

const toReply = (
  name: string,
  number: number,
  pieces: readonly string[],
  calls: readonly string[],
): ModelReply => ({
  text: pieces.join(""),
  calls: calls.map((tool, index) => {
    const id = `${name}-${number}-${index}`;
    return { id, tool, input: JSON.stringify({ id }), index };
  }),
  usage: { inputTokens: 5, outputTokens: pieces.length },
  finish: calls.length > 0 ? "calls" : "stop",
});
