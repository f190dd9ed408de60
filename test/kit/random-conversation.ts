import fc from "fast-check";
import type { RawCall } from "../../src/types/call.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../src/types/message.ts";

const wordsArbitrary = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/);
const toolNames = fc.constantFrom("search", "read_file", "org__mail__send", "päckchen");

interface RandomCall {
  readonly tool: string;
  readonly input: unknown;
  readonly providerExecuted: boolean;
  readonly isCut: boolean;
  readonly ending: "ok" | "failed" | "pending";
  readonly answer: string;
}

const call: fc.Arbitrary<RandomCall> = fc.record({
  tool: toolNames,
  input: fc.oneof(fc.json(), fc.string(), fc.jsonValue()),
  providerExecuted: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  isCut: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  ending: fc.constantFrom("ok", "failed", "pending"),
  answer: fc.string(),
});

type Part =
  | { readonly kind: "user" | "assistant"; readonly content: string }
  | { readonly kind: "calls"; readonly content: string; readonly calls: readonly RandomCall[] };

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constantFrom("user" as const, "assistant" as const), content: wordsArbitrary }),
  fc.record({
    kind: fc.constant("calls" as const),
    content: fc.oneof(fc.constant(""), wordsArbitrary),
    calls: fc.array(call, { minLength: 1, maxLength: 5 }),
  }),
);

const toRaw = (given: RandomCall, id: string, index: number): RawCall => ({
  id,
  tool: given.tool,
  input: given.input,
  index,
  ...(given.providerExecuted ? { providerExecuted: true } : {}),
  ...(given.isCut ? { finish: "incomplete" as const } : {}),
});

const toReply = (given: RandomCall, id: string): ToolMessage => ({
  role: "tool",
  callId: id,
  tool: given.tool,
  content: given.answer,
  ok: given.ending === "ok",
  ...(given.ending === "pending" ? { pending: `approval of ${id}` } : {}),
});

const toMessages = (system: string | undefined, parts: readonly Part[]): readonly Message[] => {
  const messages: Message[] = system === undefined ? [] : [{ role: "system", content: system }];
  let count = 0;
  for (const each of parts) {
    if (each.kind !== "calls") {
      messages.push({ role: each.kind, content: each.content });
      continue;
    }
    const ids = each.calls.map(() => `call-${++count}`);
    const calls = each.calls.map((given, index) => toRaw(given, ids[index]!, index));
    messages.push({ role: "assistant", content: each.content, calls } satisfies AssistantMessage);
    each.calls.forEach((given, index) => {
      if (!given.providerExecuted) messages.push(toReply(given, ids[index]!));
    });
  }
  return messages;
};

/** Valid conversations: every call has a unique id and one reply at the right position. */
export const randomConversation: fc.Arbitrary<readonly Message[]> = fc
  .tuple(fc.option(fc.string(), { nil: undefined }), fc.array(part, { maxLength: 8 }))
  .map(([system, parts]) => toMessages(system, parts));
