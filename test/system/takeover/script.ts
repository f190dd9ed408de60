import { agent, type Message, type Model } from "../../../src/exports/index.ts";

/** The script of one takeover, the same for both processes. */
export interface Script {
  /** Turns of two calls before the one with the held call. */
  readonly turnsBefore: number;
  /** What the model does after the result of the held call. */
  readonly afterwards: "finish" | "repeat the held call" | "make another call";
}

export const heldMark = "held";

const usage = { inputTokens: 1, outputTokens: 1 };

/** Deterministic: a process without fencing would repeat what the other did. */
const reply = ({ turnsBefore, afterwards }: Script, messages: readonly Message[]) => {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const marks = marksOf(turn - turnsBefore, turn, afterwards);
  if (marks.length === 0) return { text: "done", calls: [], usage, finish: "stop" as const };
  const calls = marks.map((mark, index) => ({
    id: `c${turn}-${index}`,
    tool: "pay",
    input: JSON.stringify({ mark }),
  }));
  return { text: "", calls, usage, finish: "calls" as const };
};

const marksOf = (fromHeld: number, turn: number, afterwards: Script["afterwards"]): readonly string[] => {
  if (fromHeld < 0) return [`${turn}-0`, `${turn}-1`];
  // The second call of this turn has not started when the first is held: calls run one after another.
  if (fromHeld === 0) return [heldMark, "beside"];
  if (fromHeld > 1 || afterwards === "finish") return [];
  return [afterwards === "repeat the held call" ? heldMark : "another"];
};

export const payer = (script: Script) => {
  const model: Model = {
    id: "scripted",
    generate: async ({ messages }) => reply(script, messages),
    stream: async function* ({ messages }) {
      yield { kind: "reply", reply: reply(script, messages) };
    },
  };
  return agent({ name: "payer", instructions: "Pay.", model, tools: ["pay"] });
};
