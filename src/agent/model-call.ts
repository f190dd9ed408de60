import * as Effect from "effect/Effect";
import { corridor, type ToolCorridor } from "../call/call.ts";
import type { House } from "../call/house.ts";
import { registry } from "../catalog/registry.ts";
import { tool } from "../define/tool.ts";
import type { Listed } from "../dialects/listed.ts";
import { retry } from "../layers/retry.ts";
import { toModelError } from "../models/to-model-error.ts";
import type { PolicyEngine } from "../policy/policy.ts";
import type { RunScope } from "../words/call.ts";
import { ModelError, ToolError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { LedgerStore } from "../words/ledger.ts";
import type { Message } from "../words/message.ts";
import type { Model, ModelReply, ModelRequest, ModelSettings } from "../words/model.ts";
import { failed } from "../words/outcome.ts";
import type { Principal } from "../words/principal.ts";
import type { Registration } from "../words/tool.ts";

/** One question to a model, with everybody who has a say about it. */
export interface Asking {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly listed: readonly Listed[];
  readonly settings: ModelSettings | undefined;
  readonly layers: { readonly run: readonly AnyLayer[]; readonly agent: readonly AnyLayer[] };
  readonly scope: RunScope;
  readonly principal: Principal | undefined;
  readonly env: unknown;
  readonly entryId: string;
  /** Hears the text as it comes; without it the model is asked for its whole reply. */
  readonly listener: ModelListener | undefined;
}

export interface ModelListener {
  readonly onText: (text: string) => void;
  /** What was heard so far is void: the model is asked once more. */
  readonly onReset: () => void;
}

export type ModelAnswer =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: Failure };

export type AskModel = (asking: Asking) => Effect.Effect<ModelAnswer>;

/**
 * The model call is a call like any other: it walks a corridor of its own, where layers wrap it and the ledger
 * sees it. Who may run an agent was decided before, so policy has nothing to add.
 */
export const modelCalls = (house: House): AskModel => {
  const walks = corridor({
    ...house,
    registry: registry({ maxTools: 0 }),
    policy: everybody,
    layers: [],
    events: silent,
    ledger: inShort(house.ledger),
    settings: { ...house.settings, ...patience },
  });
  return (asking) => ask(walks, asking);
};

const ask = (walks: ToolCorridor, asking: Asking): Effect.Effect<ModelAnswer> => {
  const { model, messages, settings, scope, principal, env, entryId, layers } = asking;
  const registration = toRegistration(asking);
  const raw = { id: entryId, tool: registration.key, input: { messages, settings: settings ?? {} } };
  const caller = principal ?? { agent: scope.agent ?? "nobody" };
  const trip = { raw, entryId, scope, principal: caller, correlationId: undefined, env, notes: [] };
  const shown = { byWireName: new Map([[registration.key, registration]]) };
  return Effect.flatMap(walks.walk(trip, layers, shown), (reply) => {
    // A run cannot be left waiting before it has begun; what was asked is withdrawn.
    const settled =
      reply.pending === undefined
        ? undefined
        : walks.resume(reply.pending.id, withdrawn, { principal: caller });
    if (settled !== undefined) return Effect.as(Effect.ignore(settled), refused(unanswered(model.id)));
    return Effect.succeed(
      reply.failure === undefined ? toAnswer(model.id, reply.value) : refused(reply.failure),
    );
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

const refused = (failure: Failure): ModelAnswer => ({ ok: false, failure });

const unanswered = (id: string): Failure => ({
  code: "approval_required",
  message: `Asking ${id} needs a person's approval, and none was given at once.`,
});

/** Reads only, as far as our tools are concerned: so a failure of the provider may be tried again. */
const toRegistration = (asking: Asking): Registration => {
  const { model, listed, listener } = asking;
  let isHeard = false;
  const asked = tool({
    name: "model",
    description: `Asks ${model.id}.`,
    input: { type: "object" },
    annotations: { readOnly: true },
    layers: [retry({ attempts: 3 })],
    run: async (input, { signal }) => {
      const request = { ...(input as unknown as Pick<ModelRequest, "messages" | "settings">), tools: listed };
      if (isHeard) listener?.onReset();
      const hear = (text: string): void => {
        isHeard = true;
        listener?.onText(text);
      };
      try {
        return await (listener === undefined
          ? model.generate(request, { signal })
          : listen(model, request, signal, hear));
      } catch (error) {
        return failed(ToolError.is(error) ? error.failure : toModelError(model.id, error).failure);
      }
    },
  });
  return { key: `model:${model.id}`, wireName: "model", origin: "agent", tool: asked };
};

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

const everybody: PolicyEngine = { visible: () => allowed, decide: () => allowed };

/** The bus tells of tools. What a model says is told by the run itself. */
const silent: House["events"] = { on: () => () => {}, emit: () => {}, isHeard: () => false };

const longest = 500;

/** Each question repeats the whole conversation, so the ledger is told how long it is and how it ends. */
const inShort = (ledger: LedgerStore): LedgerStore => ({
  close: (closing) => ledger.close(closing),
  entries: (query) => ledger.entries(query),
  open: (opening) => ledger.open({ ...opening, input: shorten(opening.input) }),
});

const shorten = (input: string): string => {
  const { messages } = JSON.parse(input) as { readonly messages: readonly Message[] };
  const last = messages.at(-1);
  const content = last?.content ?? "";
  const cut = content.length > longest ? `${content.slice(0, longest)}…` : content;
  return JSON.stringify({ messages: messages.length, last: { role: last?.role, content: cut } });
};
