import fc from "fast-check";
import { expect, it } from "vitest";
import { randomConversation } from "../../test/kit/random-conversation.ts";
import type { RawCall } from "../types/call.ts";
import type { AssistantMessage, Message, ToolMessage } from "../types/message.ts";
import { validateConversation } from "./validate-conversation.ts";
import { type ViolationCode, violations } from "./violations.ts";

/** Changes a valid conversation in one way, or returns undefined when there is no place for the change. */
type Mutator = (
  messages: readonly Message[],
  pick: (length: number) => number,
) => readonly unknown[] | undefined;

const placesOf = (messages: readonly Message[], fits: (message: Message, index: number) => boolean) =>
  messages.flatMap((message, index) => (fits(message, index) ? [index] : []));
const isReply = (message: Message | undefined) => message?.role === "tool";
const hasCalls = (message: Message | undefined): message is AssistantMessage =>
  message?.role === "assistant" && message.calls !== undefined;

/** Replaces a message of a kind by others. */
const at =
  (fits: (message: Message, index: number, all: readonly Message[]) => boolean) =>
  (
    change: (
      message: Message,
      index: number,
      all: readonly Message[],
      pick: (length: number) => number,
    ) => readonly unknown[] | undefined,
  ): Mutator =>
  (messages, pick) => {
    const places = placesOf(messages, (message, index) => fits(message, index, messages));
    if (places.length === 0) return undefined;
    const index = places[pick(places.length)]!;
    const instead = change(messages[index]!, index, messages, pick);
    return instead && [...messages.slice(0, index), ...instead, ...messages.slice(index + 1)];
  };

const onReply = at(isReply);
const onUser = at((message) => message.role === "user");
/** Places for a new message that does not separate calls from their replies. */
const onSeam = at((message, index) => index > 0 && !isReply(message));
const onSecondReply = at((message, index, all) => isReply(message) && isReply(all[index - 1]));
const onCalls = at(hasCalls);

const user: Message = { role: "user", content: "wait" };

/** Changes one call of a message, and with `replies` the reply to it. */
const onCall =
  (
    fits: (call: RawCall, index: number, all: readonly Message[]) => boolean,
    change: (call: RawCall, all: readonly Message[], index: number) => unknown,
    replies?: (reply: ToolMessage, changed: RawCall) => ToolMessage,
  ): Mutator =>
  (messages, pick) => {
    const found = messages.flatMap((message, index) =>
      hasCalls(message)
        ? message.calls!.flatMap((call, place) =>
            fits(call, index, messages) ? [{ index, place, call }] : [],
          )
        : [],
    );
    if (found.length === 0) return undefined;
    const { index, place, call } = found[pick(found.length)]!;
    const changed = change(call, messages, index);
    const holder = messages[index] as AssistantMessage;
    return messages.map((message, other) => {
      if (other === index) return { ...holder, calls: holder.calls!.with(place, changed as RawCall) };
      if (message.role !== "tool" || message.callId !== call.id) return message;
      return replies?.(message, changed as RawCall) ?? message;
    });
  };

const isOwn = (call: RawCall) => call.providerExecuted !== true;
const withId = (reply: ToolMessage, { id }: RawCall): ToolMessage => ({ ...reply, callId: id });
const withTool = (reply: ToolMessage, { tool }: RawCall): ToolMessage => ({ ...reply, tool });
const firstIdOf = (message: Message | undefined) => (hasCalls(message) ? message.calls![0]!.id : undefined);
const firstWithCalls = (all: readonly Message[]) => all.findIndex(hasCalls);

const mutators: readonly (readonly [string, Mutator, readonly ViolationCode[]])[] = [
  ["dropping a reply", onReply(() => []), ["missing_reply"]],
  ["repeating a reply at once", onReply((reply) => [reply, reply]), ["duplicate_reply"]],
  [
    "repeating a reply at the end",
    (messages) => {
      const reply = messages.find(isReply);
      return reply && [...messages, reply];
    },
    ["duplicate_reply"],
  ],
  [
    "swapping two replies",
    (messages, pick) => {
      const places = placesOf(messages, (message, index) => isReply(message) && isReply(messages[index - 1]));
      if (places.length === 0) return undefined;
      const index = places[pick(places.length)]!;
      return messages.with(index - 1, messages[index]!).with(index, messages[index - 1]!);
    },
    ["out_of_order_reply"],
  ],
  [
    "inserting a reply to nothing",
    onSeam((message) => [{ role: "tool", callId: "nobody's", tool: "x", content: "", ok: true }, message]),
    ["unknown_reply"],
  ],
  ["inserting the user before a reply", onReply((reply) => [user, reply]), ["interrupted_replies"]],
  ["inserting the user between replies", onSecondReply((reply) => [user, reply]), ["interrupted_replies"]],
  [
    "inserting the assistant between replies",
    onSecondReply((reply) => [{ role: "assistant", content: "well" }, reply]),
    ["interrupted_replies"],
  ],
  [
    "inserting junk between replies",
    onSecondReply((reply) => [null, reply]),
    ["not_a_message", "interrupted_replies"],
  ],
  ["renaming the tool of a reply", onReply((reply) => [{ ...reply, tool: "another" }]), ["wrong_tool_name"]],
  [
    "leaving out the tool of a reply",
    onReply((reply) => [{ ...reply, tool: undefined }]),
    ["wrong_tool_name"],
  ],
  [
    "renaming the id of a reply",
    onReply((reply) => [{ ...reply, callId: "x" }]),
    ["missing_reply", "unknown_reply"],
  ],
  [
    "emptying the id of a reply",
    onReply((reply) => [{ ...reply, callId: "" }]),
    ["missing_reply", "empty_call_id"],
  ],
  [
    "emptying the id of a call and its reply",
    onCall(isOwn, (call) => ({ ...call, id: "" }), withId),
    ["empty_call_id"],
  ],
  [
    "taking the id of a provider's call away",
    onCall(
      (call) => !isOwn(call),
      (call) => ({ ...call, id: undefined }),
    ),
    ["empty_call_id"],
  ],
  [
    "emptying the tool of a call and its reply",
    onCall(isOwn, (call) => ({ ...call, tool: "" }), withTool),
    ["empty_tool_name"],
  ],
  [
    "replacing a provider's call by junk",
    onCall(
      (call) => !isOwn(call),
      () => "junk",
    ),
    ["not_a_call"],
  ],
  [
    "marking an answered call as the provider's",
    onCall(isOwn, (call) => ({ ...call, providerExecuted: true })),
    ["unwanted_reply"],
  ],
  [
    "repeating an id in a message",
    onCall(
      (call, index, all) =>
        isOwn(call) &&
        firstIdOf(all[index]) !== call.id &&
        (all[index] as AssistantMessage).calls!.every(isOwn),
      (call, all, index) => ({ ...call, id: firstIdOf(all[index])! }),
      withId,
    ),
    ["duplicate_call_id"],
  ],
  [
    "repeating an id of an earlier message",
    onCall(
      (call, index, all) => isOwn(call) && index > firstWithCalls(all),
      (call, all) => ({ ...call, id: firstIdOf(all[firstWithCalls(all)])! }),
      withId,
    ),
    ["duplicate_call_id"],
  ],
  [
    "cutting the end off after the calls",
    (messages) => {
      const index = messages.findIndex((message) => hasCalls(message) && message.calls!.some(isOwn));
      return index === -1 ? undefined : messages.slice(0, index + 1);
    },
    ["missing_reply"],
  ],
  [
    "moving the system message",
    onSeam((message) => [{ role: "system", content: "be kind" }, message]),
    ["system_not_first"],
  ],
  ["emptying a user message", onUser((message) => [{ ...message, content: "" }]), ["empty_user"]],
  [
    "leaving only blanks in a user message",
    onUser((message) => [{ ...message, content: " \n\t" }]),
    ["empty_user"],
  ],
  [
    "emptying an assistant message",
    at((message) => message.role === "assistant" && message.calls === undefined)((message) => [
      { ...message, content: "" },
    ]),
    ["empty_assistant"],
  ],
  [
    "giving an assistant nothing but an empty list of calls",
    onSeam((message) => [{ role: "assistant", content: "", calls: [] }, message]),
    ["empty_assistant"],
  ],
  ["inserting junk", onSeam((message) => [17, message]), ["not_a_message"]],
  [
    "inserting an unknown role",
    onSeam((message) => [{ role: "developer", content: "x" }, message]),
    ["unknown_role"],
  ],
  [
    "writing content as a list",
    onCalls((message) => [{ ...message, content: [{ kind: "text", text: "x" }] }]),
    ["wrong_field"],
  ],
  [
    "writing a part as another library does",
    onUser((message) => [{ ...message, content: [{ type: "text", text: "x" }] }]),
    ["bad_part"],
  ],
  [
    "breaking the base64 of a picture",
    onReply((reply) => [{ ...reply, parts: [{ kind: "image", mediaType: "image/png", data: "iVBOR" }] }]),
    ["bad_part"],
  ],
  [
    "giving a user thousands of parts",
    onUser((message) => [{ ...message, content: Array(1_001).fill({ kind: "text", text: "x" }) }]),
    ["too_many_parts"],
  ],
  [
    "giving a user nothing but blank parts",
    onUser((message) => [{ ...message, content: [{ kind: "text", text: " " }] }]),
    ["empty_user"],
  ],
  ["giving a user no part", onUser((message) => [{ ...message, content: [] }]), ["empty_user"]],
  ["writing parts as a text", onReply((reply) => [{ ...reply, parts: "image" }]), ["wrong_field"]],
  ["writing thoughts as a list", onCalls((message) => [{ ...message, reasoning: [] }]), ["wrong_field"]],
  [
    "leaving out the content next to calls",
    onCalls((message) => [{ ...message, content: null }]),
    ["wrong_field"],
  ],
  ["leaving out whether a reply is ok", onReply((reply) => [{ ...reply, ok: undefined }]), ["wrong_field"]],
  ["writing a flag as pending", onReply((reply) => [{ ...reply, pending: true }]), ["wrong_field"]],
];

const random = fc.tuple(randomConversation, fc.nat(1_000_000));

it.each(mutators)("finds only the expected violations after %s", (_, mutate, expected) => {
  let changed = 0;
  fc.assert(
    fc.property(random, ([messages, at]) => {
      const mutant = mutate(messages, (length) => at % length);
      if (mutant === undefined) return;
      changed++;
      const codes = new Set(validateConversation(mutant as readonly Message[]).map(({ code }) => code));
      expect([...codes].sort()).toEqual([...expected].sort());
    }),
    { numRuns: 150 },
  );
  expect(changed).toBeGreaterThan(5);
});

it("covers every violation code", () => {
  const reported = new Set(mutators.flatMap(([, , expected]) => expected));
  expect([...reported, "not_a_conversation"].sort()).toEqual(Object.keys(violations).sort());
});
