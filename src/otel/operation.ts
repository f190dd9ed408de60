import { type Attributes, SpanKind } from "@opentelemetry/api";
import type { AuthorizedCall } from "../words/call.ts";
import type { ModelSettings } from "../words/model.ts";

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
const cut = (text: string): string => {
  const whole = String(text);
  return whole.length > longest ? `${whole.slice(0, longest)}…` : whole;
};

export const operationOf = (call: AuthorizedCall): Operation => {
  const { registration, principal, request } = call;
  const common: Attributes = {
    "gen_ai.agent.name": cut(request.scope.agent ?? principal.agent),
    ...(principal.session === undefined ? {} : { "gen_ai.conversation.id": cut(principal.session) }),
    "haft.entry.id": request.entryId,
    "haft.run.id": request.scope.id,
  };
  // No tool's name has a colon, so this is the key of a model and nothing else.
  const [, model] = registration.key.match(/^model:(.*)$/s) ?? [];
  return model === undefined ? toolUse(call, common) : modelUse(call, cut(model), common);
};

const toolUse = (
  { registration, spec, request, implementation }: AuthorizedCall,
  common: Attributes,
): Operation => {
  const tool = registration.key;
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
      "gen_ai.tool.call.id": cut(request.raw.id),
      "gen_ai.tool.type": type,
      "gen_ai.tool.description": cut(spec.description),
      ...common,
      "haft.risk": spec.risk,
    },
  };
};

/** What these do is done by somebody else's server. */
const remote: ReadonlySet<string> = new Set(["http", "mcp"]);

const modelUse = (call: AuthorizedCall, id: string, common: Attributes): Operation => {
  const [provider, ...rest] = id.split("/");
  const model = rest.length === 0 ? id : rest.join("/");
  const series = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providers[provider!] ?? provider!,
    "gen_ai.request.model": model,
  };
  return {
    kind: "model",
    spanName: `chat ${model}`,
    spanKind: SpanKind.CLIENT,
    series,
    attributes: { ...series, ...settingsOf(call.input), ...common },
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
