import { type Attributes, SpanKind } from "@opentelemetry/api";
import { shorten } from "../text/cut-text.ts";
import type { AuthorizedCall } from "../words/call.ts";
import type { ModelSettings } from "../words/model.ts";
import type { ObservedCall } from "../words/observer.ts";
import type { ToolSpec } from "../words/spec.ts";

/** What one call is to OpenTelemetry, before anything has happened. */
export interface Operation {
  readonly kind: "tool" | "model";
  readonly spanName: string;
  readonly spanKind: SpanKind;
  /** On the span from its start, where a sampler sees them. */
  readonly attributes: Attributes;
  /** On every measurement: few values each, or a metric becomes a log. */
  readonly series: Attributes;
}

/** Ids and descriptions may be foreign text of any length. */
const longest = 256;
export const cut = (text: string): string => shorten(String(text), longest);

export const operationOf = (call: AuthorizedCall): Operation => {
  const { registration, spec, implementation, input } = call;
  const model = modelIn(registration.key);
  if (model !== undefined) return modelUse(model, input, commonOf(call));
  return toolUse(call, { key: registration.key, spec, implementation });
};

/** The same of a call that came to no layer. A name that no tool has is a model's word, and names no series. */
export const observedOperation = (call: ObservedCall): Operation => {
  const { registration } = call;
  if (registration === undefined) return unknownUse(call);
  const { key, tool } = registration;
  const model = modelIn(key);
  if (model !== undefined) return modelUse(model, undefined, commonOf(call));
  return toolUse(call, { key, spec: tool.spec, implementation: tool.implementation._tag });
};

/** What every call has, however far it came. */
type AnyCall = Pick<ObservedCall, "principal" | "request">;

const commonOf = ({ principal, request }: AnyCall): Attributes => {
  const agent = request.scope.agent ?? principal?.agent;
  return {
    ...(agent === undefined ? {} : { "gen_ai.agent.name": cut(agent) }),
    ...(principal?.session === undefined ? {} : { "gen_ai.conversation.id": cut(principal.session) }),
    "haft.entry.id": request.entryId,
    "haft.run.id": request.scope.id,
  };
};

/** No tool's name has a colon, so this is the key of a model and nothing else. */
const modelIn = (key: string): string | undefined => {
  const [, model] = key.match(/^model:(.*)$/s) ?? [];
  return model === undefined ? undefined : cut(model);
};

const unknownUse = (call: AnyCall): Operation => {
  const series = { "gen_ai.operation.name": "execute_tool" };
  return {
    kind: "tool",
    spanName: "execute_tool",
    spanKind: SpanKind.INTERNAL,
    series,
    attributes: { ...series, "gen_ai.tool.call.id": cut(call.request.raw.id), ...commonOf(call) },
  };
};

interface UsedTool {
  readonly key: string;
  readonly spec: ToolSpec;
  readonly implementation: string;
}

const toolUse = (call: AnyCall, { key: tool, spec, implementation }: UsedTool): Operation => {
  const isElsewhere = [spec.source, implementation].some((each) => remote.has(each));
  const type = isElsewhere ? "extension" : "function";
  const series = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
  return {
    kind: "tool",
    spanName: `execute_tool ${tool}`,
    spanKind: SpanKind.INTERNAL,
    series,
    attributes: {
      ...series,
      "gen_ai.tool.call.id": cut(call.request.raw.id),
      "gen_ai.tool.type": type,
      "gen_ai.tool.description": cut(spec.description),
      ...commonOf(call),
      "haft.risk": spec.risk,
    },
  };
};

/** What these do is done by somebody else's server. */
const remote: ReadonlySet<string> = new Set(["http", "mcp"]);

/** Who serves a model, and what it is called there. */
export const modelAttributes = (id: string) => {
  const [provider, ...rest] = id.split("/");
  return {
    "gen_ai.provider.name": providers[provider!] ?? provider!,
    "gen_ai.request.model": rest.length === 0 ? id : rest.join("/"),
  };
};

const modelUse = (id: string, input: unknown, common: Attributes): Operation => {
  const series = { "gen_ai.operation.name": "chat", ...modelAttributes(id) };
  return {
    kind: "model",
    spanName: `chat ${series["gen_ai.request.model"]}`,
    spanKind: SpanKind.CLIENT,
    series,
    attributes: { ...series, ...settingsOf(input), ...common },
  };
};

/** Where OpenTelemetry has a name of its own for who we name otherwise. */
const providers: Readonly<Record<string, string>> = { gemini: "gcp.gemini" };

const settingsOf = (input: unknown): Attributes => {
  const { settings = {} } = (input ?? {}) as { readonly settings?: ModelSettings };
  const { temperature, topP, maxTokens, seed } = settings;
  return {
    ...(temperature === undefined ? {} : { "gen_ai.request.temperature": temperature }),
    ...(topP === undefined ? {} : { "gen_ai.request.top_p": topP }),
    ...(maxTokens === undefined ? {} : { "gen_ai.request.max_tokens": maxTokens }),
    ...(seed === undefined ? {} : { "gen_ai.request.seed": seed }),
  };
};
