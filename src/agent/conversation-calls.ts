import type { ToolInvocation } from "../types/agent.ts";
import type { RawCall } from "../types/call.ts";
import { operatorText } from "../types/failure.ts";
import { failures } from "../types/failures.ts";
import type { AssistantMessage, Message, ToolMessage } from "../types/message.ts";
import type { Reply } from "../types/outcome.ts";

export interface ModelCalls {
  readonly calls: readonly RawCall[];
  /** Calls to execute. A repeated one has the id of the first, so that the turn declines it. */
  readonly executable: readonly RawCall[];
  readonly repeated: ReadonlySet<string>;
}

/**
 * Assigns unique ids. A repeated id within one message means the same call, which runs once; an id of an
 * earlier message means a new call.
 */
export const withUniqueIds = (
  calls: readonly RawCall[],
  taken: Set<string>,
  newId: () => string,
): ModelCalls => {
  const here = new Map<string, string>();
  const repeated = new Set<string>();
  const ours: RawCall[] = [];
  const all = calls.map((call, index) => {
    const first = call.id === "" ? undefined : here.get(call.id);
    let { id } = call;
    while (!plainIdPattern.test(id) || taken.has(id)) id = newId();
    taken.add(id);
    const own: RawCall = { ...call, id, tool: call.tool === "" ? unnamedTool : call.tool, index };
    if (own.providerExecuted === true) return own;
    if (first === undefined) {
      here.set(call.id, id);
      ours.push(own);
      return own;
    }
    repeated.add(id);
    ours.push({ ...own, id: first });
    return { ...own, repeats: first };
  });
  return { calls: all, executable: ours, repeated };
};

/** Ids that every ledger and provider accepts; others are replaced. */
const plainIdPattern = /^[\x21-\x7e]{1,200}$/;

export const toModelCalls = (calls: readonly RawCall[]): ModelCalls => ({
  calls,
  executable: calls.filter(
    ({ providerExecuted, repeats }) => providerExecuted !== true && repeats === undefined,
  ),
  repeated: new Set(calls.flatMap(({ id, repeats }) => (repeats === undefined ? [] : [id]))),
});

/** Providers reject calls without a tool name. */
const unnamedTool = "unnamed_tool";

export const toToolMessages = (calls: ModelCalls, replies: readonly Reply[]): readonly ToolMessage[] => {
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  return calls.calls.flatMap((call): readonly ToolMessage[] => {
    if (calls.repeated.has(call.id)) return [repeatedCallMessage(call)];
    const reply = byId.get(call.id);
    return reply === undefined ? [] : [toToolMessage(call, reply)];
  });
};

export const toToolMessage = ({ id, tool }: Pick<RawCall, "id" | "tool">, reply: Reply): ToolMessage => ({
  role: "tool",
  callId: id,
  tool,
  content: reply.text,
  ...(reply.ok && typeof reply.value === "string" ? { isText: true } : {}),
  ...(reply.parts === undefined ? {} : { parts: reply.parts }),
  ok: reply.ok,
  ...(reply.pending === undefined ? {} : { pending: reply.pending.id }),
  ...(reply.flow.kind === "final" || reply.flow.kind === "handoff" ? { flow: reply.flow } : {}),
  ...(reply.taints === undefined ? {} : { taints: reply.taints }),
});

const repeatedCallMessage = ({ id, tool }: RawCall): ToolMessage => ({
  role: "tool",
  callId: id,
  tool,
  ok: false,
  content: "Error: Another call in this turn has the same id. See the reply to that call.",
});

export const toInvocations = (
  agent: string,
  calls: ModelCalls,
  replies: readonly Reply[],
): readonly ToolInvocation[] =>
  replies.flatMap((reply): readonly ToolInvocation[] => {
    const call = calls.calls.find(({ id }) => id === reply.id);
    if (call === undefined) return [];
    const common = {
      name: call.tool,
      callId: call.id,
      agent,
      arguments: toArguments(call.input),
      ok: reply.ok,
    };
    const parts = reply.parts === undefined ? {} : { parts: reply.parts };
    if (reply.ok) return [{ ...common, result: reply.value, ...parts }];
    const { failure, text } = reply;
    const isForOperators = failure !== undefined && failures[failure.code].reader === "operator";
    return [{ ...common, error: text, ...(isForOperators ? { reason: operatorText(failure) } : {}) }];
  });

export const invocationsIn = (messages: readonly Message[]): readonly ToolInvocation[] => {
  const answers = new Map(
    messages.flatMap((one) => (one.role === "tool" ? [[one.callId, one] as const] : [])),
  );
  return messages.flatMap((message) =>
    message.role !== "assistant"
      ? []
      : (message.calls ?? []).flatMap((call) => {
          const answer = answers.get(call.id);
          if (answer === undefined || call.repeats !== undefined) return [];
          const { ok, content, isText } = answer;
          const parts = answer.parts === undefined ? {} : { parts: answer.parts };
          const { agent = "" } = message;
          const common = { name: call.tool, callId: call.id, agent, arguments: toArguments(call.input), ok };
          const result = isText === true ? content : toArguments(content);
          return [ok ? { ...common, result, ...parts } : { ...common, error: content }];
        }),
  );
};

const toArguments = (input: unknown): unknown => {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
};

export const callIdsIn = (messages: readonly Message[]): Set<string> => {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.calls ?? []) ids.add(call.id);
  }
  return ids;
};

interface UnfinishedTurn {
  readonly openCalls: ModelCalls | undefined;
  readonly text: string;
  readonly parts?: AssistantMessage["parts"];
  readonly agent: string | undefined;
}

/** Undefined if the model has to be requested next. */
export const findUnfinishedTurn = (messages: readonly Message[]): UnfinishedTurn | undefined => {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[at] as AssistantMessage | undefined;
  const behind = messages.slice(at + 1);
  if (last === undefined || behind.some(({ role }) => role === "user")) return undefined;
  const { calls = [], agent } = last;
  const { executable, repeated } = toModelCalls(calls);
  if (executable.length === 0) {
    if (last.paused === true) return undefined;
    const text = pausedText(messages.slice(0, at)) + last.content;
    return { openCalls: undefined, text: text, ...(last.parts && { parts: last.parts }), agent };
  }
  const settled = new Set(
    behind.flatMap((one) => (one.role === "tool" && one.pending === undefined ? [one.callId] : [])),
  );
  const open = executable.filter(({ id }) => !settled.has(id));
  return open.length === 0
    ? undefined
    : { openCalls: { calls, executable: open, repeated }, text: last.content, agent };
};

export const pausedText = (messages: readonly Message[]): string => {
  let text = "";
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (message.role !== "assistant" || message.paused !== true) break;
    text = message.content + text;
  }
  return text;
};

export const insertAnswers = (messages: Message[], answers: readonly ToolMessage[]): void => {
  for (const answer of answers) {
    const waited = messages.findLastIndex(
      (one) => one.role === "tool" && one.callId === answer.callId && one.pending !== undefined,
    );
    if (waited >= 0) messages[waited] = answer;
    else if (!isAnswered(messages, answer.callId)) messages.push(answer);
  }
};

const isAnswered = (messages: readonly Message[], callId: string): boolean =>
  messages.some((one) => one.role === "tool" && one.callId === callId);
