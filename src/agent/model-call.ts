import * as Effect from "effect/Effect";
import type { CorridorOptions } from "../call/call-services.ts";
import { corridor, type ToolCorridor } from "../call/corridor.ts";
import { readRawCall } from "../call/raw-call.ts";
import { registry } from "../catalog/registry.ts";
import type { OfferedTool } from "../dialects/listed.ts";
import { retry } from "../layers/retry.ts";
import { toModelError } from "../models/to-model-error.ts";
import type { GuardedPolicy } from "../policy/guard.ts";
import { tool } from "../tool/tool.ts";
import type { CallContext, CallRequest, RunScope } from "../words/call.ts";
import { ModelError, ToolError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import type { LayerScopes } from "../words/layer.ts";
import type { LedgerStore } from "../words/ledger.ts";
import type { Message } from "../words/message.ts";
import type { Model, ModelReply, ModelRequest, ModelSettings } from "../words/model.ts";
import { failed } from "../words/outcome.ts";
import type { Principal } from "../words/principal.ts";
import { isChatRun } from "../words/run-book.ts";
import type { Registration } from "../words/tool.ts";

/** One question to a model, with everybody who has a say about it. */
export interface Asking {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly listed: readonly OfferedTool[];
  readonly settings: ModelSettings | undefined;
  readonly layers: LayerScopes;
  readonly scope: RunScope;
  readonly principal: Principal | undefined;
  readonly env: unknown;
  readonly entryId: string;
  /** Hears the text as it comes; without it the model is asked for its whole reply. */
  readonly listener: ModelListener | undefined;
}

export interface ModelListener {
  readonly onText: (text: string) => void;
  /** What was heard so far is void. */
  readonly onReset: (reason: string) => void;
}

export type ModelAnswer =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: Failure };

export type AskModel = (asking: Asking) => Effect.Effect<ModelAnswer>;

/**
 * The model call is a call like any other: it goes down a corridor of its own, where layers wrap it and the ledger
 * sees it. Who may run an agent was decided before, so policy has nothing to add.
 */
export const modelCalls = (services: CorridorOptions): AskModel => {
  const own = corridor({
    ...services,
    registry: registry({ maxTools: 0 }),
    policy: everybody,
    layers: [],
    events: silent,
    ledger: inShort(services.ledger),
    settings: { ...services.settings, ...patience },
  });
  const questions = new OpenQuestions();
  return (asking) => ask(own, questions, asking);
};

const ask = (own: ToolCorridor, questions: OpenQuestions, asking: Asking): Effect.Effect<ModelAnswer> => {
  const { model, principal, scope } = asking;
  const caller = principal ?? { agent: scope.agent ?? "nobody" };
  const request = toRequest(asking, questions.toolOf(model), caller);
  const asked = Effect.flatMap(own.call(request), (reply) => {
    // A run cannot be left waiting before it has begun; what was asked is withdrawn.
    if (reply.pending !== undefined) {
      const settled = own.resume(reply.pending.id, withdrawn, { principal: caller });
      return Effect.as(Effect.ignore(settled), refused(unanswered(model.id)));
    }
    const answer =
      reply.failure === undefined
        ? toAnswer(model.id, reply.value)
        : refused(ofModel(model.id, reply.failure));
    if (answer.ok) questions.hearAnswer(asking, answer.reply.text);
    return Effect.succeed(answer);
  });
  return Effect.suspend(() => {
    questions.open(asking);
    return Effect.ensuring(
      asked,
      Effect.sync(() => questions.close(asking)),
    );
  });
};

const toRequest = (asking: Asking, registration: Registration, caller: Principal): CallRequest => {
  const { messages, settings, scope, env, entryId, layers } = asking;
  const input = { messages, settings: settings ?? {} };
  return Object.freeze({
    raw: readRawCall({ id: entryId, tool: registration.key, input }, patience.json),
    entryId,
    scope,
    layers,
    shown: { byWireName: new Map([[registration.key, registration]]) },
    principal: caller,
    correlationId: undefined,
    env,
  });
};

const withdrawn = { kind: "deny", reason: "nobody answered at once" } as const;

/** A model may be anybody's code: what it leaves out is nothing, and what makes no sense is refused. */
const toAnswer = (id: string, value: unknown): ModelAnswer => {
  const { text = "", calls = [], usage, finish, echo } = (value ?? { text: null }) as Partial<ModelReply>;
  if (typeof text !== "string" || !Array.isArray(calls) || !calls.every(isCall)) {
    const message = `${id} gave back something that is no reply: it needs a text and a list of calls.`;
    return refused({ code: "model_unreadable", message });
  }
  return {
    ok: true,
    reply: {
      text,
      calls,
      usage: {
        inputTokens: countOf(usage?.inputTokens),
        outputTokens: countOf(usage?.outputTokens),
        ...(usage?.cachedTokens === undefined ? {} : { cachedTokens: countOf(usage.cachedTokens) }),
      },
      finish: finish ?? (calls.length > 0 ? "calls" : "stop"),
      ...(echo === undefined ? {} : { echo }),
    },
  };
};

/** What is no count of tokens meets no budget, so it is none: a budget stops the run over it. */
const countOf = (tokens: unknown): number => {
  if (tokens === undefined) return 0;
  return typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens) ? tokens : Number.NaN;
};

const isCall = (call: unknown): boolean => {
  const { id, tool } = (call ?? {}) as { readonly id?: unknown; readonly tool?: unknown };
  return typeof id === "string" && typeof tool === "string";
};

/** A model that takes too long cannot be had, like one that is out of reach. */
const ofModel = (id: string, failure: Failure): Failure => {
  if (failure.code !== "timed_out") return failure;
  const within = failure.timeoutMs === undefined ? "in time" : `within ${failure.timeoutMs} ms`;
  return { ...failure, code: "model_timed_out", message: `${id} gave no answer ${within}.` };
};

const refused = (failure: Failure): ModelAnswer => ({ ok: false, failure });

const unanswered = (id: string): Failure => ({
  code: "approval_required",
  message: `Asking ${id} needs a person's approval, and none was given at once.`,
});

/** Questions under way, by the id of their call, and one tool for each model that is asked. */
class OpenQuestions {
  readonly #open = new Map<string, { readonly asking: Asking; isHeard: boolean; said?: string }>();
  readonly #tools = new WeakMap<Model, Registration>();

  open(asking: Asking): void {
    this.#open.set(asking.entryId, { asking, isHeard: false });
  }

  /**
   * A layer may answer in the model's place, from a tape or a cache, or change what it said. Whoever listens hears the
   * text that counts all the same.
   */
  hearAnswer({ entryId, listener }: Asking, text: string): void {
    const { isHeard = false, said } = this.#open.get(entryId) ?? {};
    if (listener === undefined || (isHeard && said === text)) return;
    if (isHeard) listener.onReset("a layer changed what the model said");
    if (text !== "") listener.onText(text);
  }

  close({ entryId }: Asking): void {
    this.#open.delete(entryId);
  }

  /** Made once, so that the layers around it are put together once. */
  toolOf(model: Model): Registration {
    const before = this.#tools.get(model);
    if (before !== undefined) return before;
    const made = this.#toTool(model);
    this.#tools.set(model, made);
    return made;
  }

  /** Reads only, as far as our tools are concerned: so a failure of the provider may be tried again. */
  #toTool(model: Model): Registration {
    const asked = tool({
      name: "model",
      description: `Asks ${model.id}.`,
      input: { type: "object" },
      annotations: { readOnly: true },
      layers: [retry({ attempts: 3 })],
      run: (input, context) => this.#ask(input as unknown as ModelQuestion, context),
    });
    return { key: `model:${model.id}`, wireName: "model", origin: "agent", tool: asked };
  }

  async #ask(said: ModelQuestion, { callId, signal }: CallContext): Promise<unknown> {
    const question = this.#open.get(callId);
    if (question === undefined) return failed({ code: "call_over", message: "The question is over." });
    const { model, listed, listener } = question.asking;
    const request = { ...said, tools: listed };
    if (question.isHeard) listener?.onReset("the model is asked once more");
    question.isHeard = false;
    const hear = (text: string): void => {
      question.isHeard = true;
      listener?.onText(text);
    };
    try {
      if (listener === undefined) return await model.generate(request, { signal });
      const reply = await listen(model, request, signal, hear);
      question.said = reply?.text;
      return reply;
    } catch (error) {
      return failed(ToolError.is(error) ? error.failure : toModelError(model.id, error).failure);
    }
  }
}

type ModelQuestion = Pick<ModelRequest, "messages" | "settings">;

const listen = async (
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  hear: (text: string) => void,
): Promise<ModelReply> => {
  for await (const event of model.stream(request, { signal })) {
    // A model that does not mind its signal is left here; leaving closes its stream.
    signal.throwIfAborted();
    if (event.kind === "reply") return event.reply;
    if (event.kind === "text") hear(event.text);
  }
  throw new ModelError("model_unreadable", `${model.id} ended its stream without a reply.`);
};

/** A conversation is longer than what tools take and give, and a model takes its time. */
const patience = {
  defaultTimeoutMs: 600_000,
  maxTimeoutMs: 3_600_000,
  maxResultBytes: 64 * 1_048_576,
  json: { maxLength: 256 * 1_048_576, maxDepth: 64 },
};

const allowed = Object.freeze({ effect: "allow", ruleIds: [], reason: "a run asks its model" } as const);

const everybody: GuardedPolicy = { visible: () => allowed, decide: () => allowed };

/** The bus tells of tools. What a model says is told by the run itself. */
const silent: CorridorOptions["events"] = { on: () => () => {}, emit: () => {}, isHeard: () => false };

const longest = 500;

/**
 * Each question repeats the whole conversation, so the ledger is told how long it is and how it ends. Rows stay for good,
 * and a person may delete a chat: rows about one count its texts and have none of them.
 */
const inShort = (ledger: LedgerStore): LedgerStore => {
  const ofChats = new Set<string>();
  return {
    close: (closing) => {
      const isOfChat = ofChats.delete(closing.entryId);
      return ledger.close(isOfChat ? { ...closing, result: countReply(closing.result) } : closing);
    },
    entries: (query) => ledger.entries(query),
    open: (opening) => {
      const isOfChat = isChatRun(opening.runId);
      if (isOfChat) ofChats.add(opening.entryId);
      return ledger.open({ ...opening, input: shorten(opening.input, isOfChat) });
    },
  };
};

const countReply = (result: string | undefined): string | undefined => {
  if (result === undefined) return undefined;
  const { text = "", calls = [], usage, finish } = JSON.parse(result) as Partial<ModelReply>;
  return JSON.stringify({ characters: text.length, calls: calls.length, usage, finish });
};

const shorten = (input: string, isOfChat: boolean): string => {
  const { messages } = JSON.parse(input) as { readonly messages: readonly Message[] };
  const last = messages.at(-1);
  const content = last?.content ?? "";
  if (isOfChat) {
    return JSON.stringify({
      messages: messages.length,
      last: { role: last?.role, characters: content.length },
    });
  }
  const cut = content.length > longest ? `${content.slice(0, longest)}…` : content;
  return JSON.stringify({ messages: messages.length, last: { role: last?.role, content: cut } });
};
