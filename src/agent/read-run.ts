import type * as Effect from "effect/Effect";
import { checkFields } from "../base/json/check-fields.ts";
import { isObject } from "../base/json/json-value.ts";
import type { RunLease } from "../pipeline/run-lease.ts";
import { type BindMode, bindModes } from "../registry/library/library-entry.ts";
import type { Agent, AgentEvent, Library, RunInput } from "../types/agent.ts";
import { ConfigurationError, type LedgerError } from "../types/errors.ts";
import type { ContentPart, Message, UserMessage } from "../types/message.ts";
import type { Reply } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import { isModel } from "./agent.ts";
import type { ClaimedRun } from "./claim-run.ts";
import { toToolMessage } from "./conversation-calls.ts";
import { commonRunFields, type RunOptions } from "./run-options.ts";
import { maxTurns, type StopPolicy } from "./stop-policies.ts";
import { type LibrarySource, toLibrary } from "./to-library.ts";
import { validateConversation } from "./validate-conversation.ts";

/** One answer in a chat, whose run never ends. */
export interface ChatTurn {
  readonly claimed: ClaimedRun;
  /** The chat handler releases it. */
  readonly lease: RunLease;
  readonly says?: UserMessage | undefined;
  readonly settlesOnly?: boolean | undefined;
  readonly onStored: (messages: readonly Message[]) => Effect.Effect<void, LedgerError>;
}

/** Options of `Agents.run`. */
export interface AgentRunOptions extends RunOptions {
  readonly principal?: Principal | undefined;
  /** Receives events of the run. */
  readonly tell?: (event: AgentEvent) => void;
  /** Continues a chat whose conversation is in the ledger. */
  readonly chat?: ChatTurn | undefined;
  /** Continues a run that was already claimed; its starter retries it if it fails. */
  readonly claimed?: ClaimedRun | undefined;
}

export interface ParsedRunOptions {
  readonly messages: readonly Message[];
  readonly stop: readonly StopPolicy[];
  readonly library: Library | undefined;
  readonly mode: BindMode;
}

const defaultMaxTurns = 10;

const optionFields: readonly (keyof RunOptions)[] = [
  ...commonRunFields,
  "context",
  "replies",
  "resume",
  "signal",
  "allow",
  "deny",
  "parent",
  "taints",
];

const internalFields: readonly (keyof AgentRunOptions)[] = ["principal", "tell", "chat", "claimed"];

export const readRun = (
  agent: Agent,
  input: RunInput | undefined,
  options: AgentRunOptions,
): ParsedRunOptions => {
  if (typeof agent?.layer !== "function")
    throw invalidConfigError("haft.run needs an agent. Create one with agent({ … }).");
  checkFields("haft.run", options, optionFields, internalFields);
  const { context = [], replies = [], stop = [], library } = options;
  if (!Array.isArray(context) || !Array.isArray(replies))
    throw invalidConfigError("`context` and `replies` must be lists.");
  const policies = typeof stop === "function" ? [stop] : stop;
  if (!Array.isArray(policies) || !policies.every((each) => typeof each === "function")) {
    throw invalidConfigError(
      "`stop` must be a stop policy or a list of them, such as toolCalled(…) or tokenBudget(…).",
    );
  }
  checkRunOptions(input, options);
  return {
    messages:
      (options.chat?.claimed ?? options.claimed)?.record.messages ??
      (options.resume === undefined
        ? toConversation(input, context, replies)
        : requireOnlyResume(input, options)),
    stop: [maxTurns(options.maxTurns ?? defaultMaxTurns), ...policies],
    library: library === undefined ? undefined : toLibrary(library as LibrarySource),
    mode: readMode(options.bind),
  };
};

const toConversation = (
  input: RunInput | undefined,
  context: readonly Message[],
  replies: readonly Reply[],
): readonly Message[] => {
  const inputMessages = toMessages(input);
  if (inputMessages.length === 0 && replies.length === 0 && context.length === 0) {
    throw invalidConfigError(
      "haft.run needs something to answer: a text, messages, or replies to calls that were pending.",
    );
  }
  const messages = [...fillPendingAnswers(context, replies), ...inputMessages];
  const [violation] = validateConversation(messages);
  if (violation !== undefined)
    throw invalidConfigError(`The conversation cannot be continued: ${violation.message}`);
  return messages;
};

const requireOnlyResume = (input: unknown, { resume, context, replies }: RunOptions): readonly Message[] => {
  if (typeof resume !== "string" || resume === "")
    throw invalidConfigError("`resume` must be the id of a run.");
  if (input === undefined && context === undefined && replies === undefined) return [];
  throw invalidConfigError(
    "A resumed run cannot have an input, `context` or `replies`: they are in the ledger.",
  );
};

const readMode = (mode: BindMode = "compatible"): BindMode => {
  if (bindModes.includes(mode)) return mode;
  throw invalidConfigError(`\`bind\` must be one of ${bindModes.join(", ")}.`);
};

const toMessages = (input: RunInput | undefined): readonly Message[] => {
  if (input === undefined) return [];
  if (typeof input === "string") return [{ role: "user", content: input }];
  return isParts(input) ? [{ role: "user", content: input }] : input;
};

/** Parts have a `kind`, messages a `role`. */
const isParts = (input: readonly ContentPart[] | readonly Message[]): input is readonly ContentPart[] =>
  input.length > 0 && (input as readonly unknown[]).every((one) => isObject(one) && "kind" in one);

const fillPendingAnswers = (context: readonly Message[], replies: readonly Reply[]): readonly Message[] => {
  if (replies.length === 0) return context;
  const left = new Map(replies.map((reply) => [reply.id, reply]));
  const answered = context.map((message): Message => {
    if (message?.role !== "tool" || message.pending === undefined) return message;
    const reply = left.get(message.callId);
    left.delete(message.callId);
    return reply === undefined ? message : toToolMessage({ id: message.callId, tool: message.tool }, reply);
  });
  const [stray] = left.keys();
  if (stray !== undefined) throw invalidConfigError(`No call "${stray}" is pending in this conversation.`);
  return answered;
};

const repairModes: ReadonlySet<unknown> = new Set([undefined, "off", "deterministic", "model"]);

const checkRunOptions = (input: unknown, { repair, signal, model }: RunOptions): void => {
  if (input !== undefined && typeof input !== "string" && !Array.isArray(input)) {
    throw invalidConfigError("The input of a run must be a string, a list of parts or a list of messages.");
  }
  if (!repairModes.has(repair)) throw invalidConfigError('repair must be "off", "deterministic" or "model".');
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalidConfigError("signal must be an AbortSignal.");
  if (model !== undefined && !isModel(model)) {
    throw invalidConfigError(
      'A model must be a name such as "openai/gpt-5", or an object with `id`, `generate` and `stream`.',
    );
  }
};

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
