import { shorten } from "../base/text/cut-text.ts";
import type { Message } from "../types/message.ts";
import { checkMessageParts, isEmptyList } from "./check-message-parts.ts";
import type { Violation, ViolationCode } from "./violations.ts";

interface MessageFields {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly parts?: unknown;
  readonly reasoning?: unknown;
  readonly calls?: unknown;
  readonly callId?: unknown;
  readonly tool?: unknown;
  readonly ok?: unknown;
  readonly pending?: unknown;
  readonly id?: unknown;
  readonly providerExecuted?: unknown;
}

interface CallGroup {
  /** Index of the latest call with a reply. */
  furthest: number;
  /** First message after the group; a violation only if a reply follows it. */
  interruptedAt: number | undefined;
}

interface ConversationCall {
  readonly id: string;
  readonly tool: unknown;
  readonly index: number;
  readonly place: number;
  readonly group: CallGroup;
  readonly isProviders: boolean;
}

interface RepeatedId {
  readonly calls: ConversationCall[];
  answered: number;
}

type ReportViolation = (code: ViolationCode, index: number, message: string, callId?: string) => void;

/** Reports everything that would make a provider reject or misread the conversation. Never throws. */
export const validateConversation = (messages: readonly Message[]): readonly Violation[] => {
  const found: Violation[] = [];
  const report: ReportViolation = (code, index, message, callId) => {
    const about = callId === undefined || callId === "" ? {} : { callId };
    found.push(Object.freeze({ code, index, ...about, message }));
  };
  const entries = Array.isArray(messages) ? messages : undefined;
  if (entries === undefined) {
    report("not_a_conversation", 0, "A conversation must be a list of messages, oldest first.");
    return Object.freeze(found);
  }
  const watch = replyTracker(report);
  for (let index = 0; index < entries.length; index++) {
    const fields = readFields(entries[index]);
    if (fields === undefined) {
      report(
        "not_a_message",
        index,
        `Message ${index} is not a message: a message must be an object with a role and content.`,
      );
    }
    if (fields?.role === "tool") {
      checkTypes(report, index, fields);
      watch.reply(index, fields);
      continue;
    }
    watch.interrupt(index);
    if (fields !== undefined) checkContent(report, index, fields, watch.calls);
  }
  watch.end();
  return Object.freeze(found.sort((one, other) => one.index - other.index));
};

const checkContent = (
  report: ReportViolation,
  index: number,
  fields: MessageFields,
  open: (index: number, calls: readonly unknown[]) => void,
): void => {
  const { role, content } = fields;
  if (role !== "system" && role !== "user" && role !== "assistant") {
    const message = `Message ${index} has the role ${quote(role)}; use system, user, assistant or tool.`;
    report("unknown_role", index, message);
    return;
  }
  checkTypes(report, index, fields);
  const isSilent = typeof content === "string" ? !/\S/.test(content) : isEmptyList(content);
  if (role === "system" && index > 0) {
    report(
      "system_not_first",
      index,
      `Message ${index} is a system message; only the first message may be one.`,
    );
  }
  if (role === "user" && isSilent) {
    report("empty_user", index, `Message ${index} of the user is empty; remove it, or add content.`);
  }
  if (role !== "assistant") return;
  const calls: readonly unknown[] = Array.isArray(fields.calls) ? fields.calls : [];
  const isBare = !Array.isArray(fields.parts) || fields.parts.length === 0;
  if (isSilent && calls.length === 0 && isBare) {
    const message = `Message ${index} of the assistant has no text, calls or media; remove it.`;
    report("empty_assistant", index, message);
  }
  open(index, calls);
};

const replyTracker = (report: ReportViolation) => {
  const latest = new Map<string, RepeatedId>();
  const all: RepeatedId[] = [];
  let group: CallGroup | undefined;

  const calls = (index: number, given: readonly unknown[]): void => {
    group = { furthest: -1, interruptedAt: undefined };
    for (let place = 0; place < given.length; place++) {
      const fields = readFields(given[place]);
      if (fields === undefined) {
        const message = `Call ${place} of message ${index} is not a call: a call must be an object with id, tool and input.`;
        report("not_a_call", index, message);
      } else
        add({
          id: textOf(fields.id),
          tool: fields.tool,
          index,
          place,
          group,
          isProviders: fields.providerExecuted === true,
        });
    }
  };

  const add = (call: ConversationCall): void => {
    const { id, index, place } = call;
    const where = `Call ${place} of message ${index}`;
    if (id === "") report("empty_call_id", index, `${where} has no id; every call needs its own id.`);
    if (typeof call.tool !== "string" || call.tool === "") {
      report("empty_tool_name", index, `${where} names no tool.`, id);
    }
    const before = latest.get(id);
    if (before !== undefined && id !== "") {
      const message = `${where} has the id ${quote(id)} of a call of message ${before.calls[0]!.index}; every call needs its own id.`;
      report("duplicate_call_id", index, message, id);
    }
    if (before?.calls[0]?.index === index) {
      before.calls.push(call);
      return;
    }
    const same = { calls: [call], answered: 0 };
    latest.set(id, same);
    all.push(same);
  };

  const reply = (index: number, fields: MessageFields): void => {
    const id = textOf(fields.callId);
    const where = `Message ${index}`;
    if (id === "") report("empty_call_id", index, `${where} does not say which call it answers.`);
    const same = latest.get(id);
    if (same === undefined) {
      if (id === "") return;
      report("unknown_reply", index, `${where} answers ${quote(id)}, which no message before it calls.`, id);
      return;
    }
    const call = same.calls[same.answered];
    if (call === undefined) {
      const message = `${where} answers ${quote(id)} a second time; a call has one reply.`;
      report("duplicate_reply", index, message, id);
      return;
    }
    same.answered++;
    checkReply(report, index, fields, call);
  };

  return {
    calls,
    reply,
    interrupt: (index: number): void => {
      if (group !== undefined) group.interruptedAt ??= index;
    },
    end: (): void => {
      for (const { calls, answered } of all) {
        for (const { id, index, place, isProviders } of calls.slice(answered)) {
          if (isProviders) continue;
          const message = `Call ${place} of message ${index} has no reply; a tool message for ${quote(id)} must follow that message.`;
          report("missing_reply", index, message, id);
        }
      }
    },
  };
};

const checkReply = (
  report: ReportViolation,
  index: number,
  fields: MessageFields,
  call: ConversationCall,
): void => {
  const { id, tool, group, place } = call;
  const where = `Message ${index}`;
  if (call.isProviders) {
    const message = `${where} answers ${quote(id)}, which the provider runs itself; remove the reply.`;
    report("unwanted_reply", index, message, id);
    return;
  }
  if (fields.tool !== tool) {
    const message = `${where} answers ${quote(id)} as ${quote(fields.tool)}, but the call is of ${quote(tool)}.`;
    report("wrong_tool_name", index, message, id);
  }
  if (place < group.furthest) {
    const message = `${where} answers ${quote(id)} after a later call; replies keep the order of their calls.`;
    report("out_of_order_reply", index, message, id);
  }
  group.furthest = Math.max(group.furthest, place);
  const between = group.interruptedAt;
  if (between === undefined) return;
  group.interruptedAt = undefined;
  const message = `Message ${between} is between the calls of message ${call.index} and their replies; put it after them.`;
  report("interrupted_replies", between, message, id);
};

const checkTypes = (
  report: ReportViolation,
  index: number,
  { role, content, parts, reasoning, calls, ok, pending }: MessageFields,
): void => {
  const want = (field: string, words: string, got: unknown): void =>
    report("wrong_field", index, `Message ${index} needs ${words} as its ${field}, not ${quote(got)}.`);
  if (role === "user" && Array.isArray(content)) checkMessageParts(report, index, content);
  else if (typeof content !== "string") {
    want("content", role === "user" ? "text or a list of parts" : "text", content);
  }
  if (role === "assistant" || role === "tool") {
    if (Array.isArray(parts)) checkMessageParts(report, index, parts);
    else if (parts !== undefined) want("parts", "a list of parts", parts);
  }
  if (role === "assistant" && reasoning !== undefined && typeof reasoning !== "string") {
    want("reasoning", "text", reasoning);
  }
  if (role === "assistant" && calls !== undefined && !Array.isArray(calls)) {
    want("calls", "a list of calls", calls);
  }
  if (role !== "tool") return;
  if (typeof ok !== "boolean") want("ok", "true or false", ok);
  if (pending !== undefined && typeof pending !== "string") want("pending", "the id of an approval", pending);
};

const readFields = (value: unknown): MessageFields | undefined =>
  typeof value === "object" && value !== null ? value : undefined;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const maxQuoteLength = 60;

const quote = (value: unknown): string => {
  if (value === undefined) return "nothing";
  if (typeof value !== "string") return value === null ? "null" : `a value of type ${typeof value}`;
  return JSON.stringify(shorten(value, maxQuoteLength));
};
