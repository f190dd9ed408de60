import { type Attributes, SpanKind } from "@opentelemetry/api";
import { shorten } from "../../base/text/cut-text.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import type { ModelSettings } from "../../types/model.ts";
import type { MaskText, ObservedCall } from "../../types/observer.ts";
import type { ToolSpec } from "../../types/spec.ts";

/** What one call is to OpenTelemetry, before anything has happened. */
export interface OtelOperation {
  readonly kind: "tool" | "model";
  readonly spanName: string;
  readonly spanKind: SpanKind;
  /** On the span from its start, where a sampler sees them. */
  readonly attributes: Attributes;
  /** On every measurement: few values each, or a metric becomes a log. */
  readonly series: Attributes;
}

/** Ids and descriptions may be foreign text of any length. */
const maxAttributeLength = 256;
export const toAttributeText = (text: string): string => shorten(String(text), maxAttributeLength);

export const operationOf = (call: AuthorizedCall, mask: MaskText): OtelOperation => {
  const { registration, spec, implementation, input } = call;
  const model = modelIdOfKey(registration.key);
  if (model !== undefined) return modelOperation(model, input, commonAttributes(call, mask));
  return toolOperation(call, { key: registration.key, spec, implementation }, mask);
};

/** The same of a call that came to no layer. A name that no tool has is a model's word, and names no series. */
export const observedOperation = (call: ObservedCall, mask: MaskText): OtelOperation => {
  const { registration } = call;
  if (registration === undefined) return unknownToolOperation(call, mask);
  const { key, tool } = registration;
  const model = modelIdOfKey(key);
  if (model !== undefined) return modelOperation(model, undefined, commonAttributes(call, mask));
  return toolOperation(call, { key, spec: tool.spec, implementation: tool.implementation._tag }, mask);
};

/** What every call has, however far it came. */
type CallWithPrincipal = Pick<ObservedCall, "principal" | "request">;

const commonAttributes = ({ principal, request }: CallWithPrincipal, mask: MaskText): Attributes => {
  const agent = request.scope.agent ?? principal?.agent;
  const session = principal?.session;
  return {
    ...(agent === undefined ? {} : { "gen_ai.agent.name": toAttributeText(mask(agent)) }),
    ...(session === undefined ? {} : { "gen_ai.conversation.id": toAttributeText(mask(session)) }),
    "haft.entry.id": request.entryId,
    "haft.run.id": request.scope.id,
  };
};

/** No tool's name has a colon, so this is the key of a model and nothing else. */
const modelIdOfKey = (key: string): string | undefined => {
  const [, model] = key.match(/^model:(.*)$/s) ?? [];
  return model === undefined ? undefined : toAttributeText(model);
};

/** Models and callers choose ids, so a secret can be in one. */
const callIdOf = ({ request }: CallWithPrincipal, mask: MaskText): string =>
  toAttributeText(mask(String(request.raw.id)));

const unknownToolOperation = (call: CallWithPrincipal, mask: MaskText): OtelOperation => {
  const series = { "gen_ai.operation.name": "execute_tool" };
  return {
    kind: "tool",
    spanName: "execute_tool",
    spanKind: SpanKind.INTERNAL,
    series,
    attributes: { ...series, "gen_ai.tool.call.id": callIdOf(call, mask), ...commonAttributes(call, mask) },
  };
};

interface OperationTool {
  readonly key: string;
  readonly spec: ToolSpec;
  readonly implementation: string;
}

const toolOperation = (
  call: CallWithPrincipal,
  { key: tool, spec, implementation }: OperationTool,
  mask: MaskText,
): OtelOperation => {
  const isRemote = [spec.source, implementation].some((each) => remoteSources.has(each));
  const type = isRemote ? "extension" : "function";
  const series = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
  return {
    kind: "tool",
    spanName: `execute_tool ${tool}`,
    spanKind: SpanKind.INTERNAL,
    series,
    attributes: {
      ...series,
      "gen_ai.tool.call.id": callIdOf(call, mask),
      "gen_ai.tool.type": type,
      "gen_ai.tool.description": toAttributeText(spec.description),
      ...commonAttributes(call, mask),
      "haft.risk": spec.risk,
    },
  };
};

/** What these do is done by somebody else's server. */
const remoteSources: ReadonlySet<string> = new Set(["http", "mcp"]);

/** Who serves a model, and what it is called there. */
export const modelAttributes = (id: string) => {
  const [provider, ...rest] = id.split("/");
  return {
    "gen_ai.provider.name": providerNames[provider!] ?? provider!,
    "gen_ai.request.model": rest.length === 0 ? id : rest.join("/"),
  };
};

const modelOperation = (id: string, input: unknown, common: Attributes): OtelOperation => {
  const series = { "gen_ai.operation.name": "chat", ...modelAttributes(id) };
  return {
    kind: "model",
    spanName: `chat ${series["gen_ai.request.model"]}`,
    spanKind: SpanKind.CLIENT,
    series,
    attributes: { ...series, ...modelSettingAttributes(input), ...common },
  };
};

/** Where OpenTelemetry has a name of its own for who we name otherwise. */
const providerNames: Readonly<Record<string, string>> = { gemini: "gcp.gemini" };

const modelSettingAttributes = (input: unknown): Attributes => {
  const { settings = {} } = (input ?? {}) as { readonly settings?: ModelSettings };
  const { temperature, topP, maxTokens, seed } = settings;
  return {
    ...(temperature === undefined ? {} : { "gen_ai.request.temperature": temperature }),
    ...(topP === undefined ? {} : { "gen_ai.request.top_p": topP }),
    ...(maxTokens === undefined ? {} : { "gen_ai.request.max_tokens": maxTokens }),
    ...(seed === undefined ? {} : { "gen_ai.request.seed": seed }),
  };
};
