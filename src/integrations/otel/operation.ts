import { type Attributes, SpanKind } from "@opentelemetry/api";
import { shorten } from "../../base/text/cut-text.ts";
import type { AuthorizedCall, MaskText, ObservedCall } from "../../types/call.ts";
import type { ModelSettings } from "../../types/model.ts";
import type { ToolSpec } from "../../types/tool.ts";

export interface OtelOperation {
  readonly kind: "tool" | "model";
  readonly spanName: string;
  readonly spanKind: SpanKind;
  /** Set at the start of the span, where a sampler sees them. */
  readonly attributes: Attributes;
  /** Set on every measurement, so each must have few values. */
  readonly series: Attributes;
}

/** Ids and descriptions may be untrusted text of any length. */
const maxAttributeLength = 256;
export const toAttributeText = (text: string): string => shorten(String(text), maxAttributeLength);

export const operationOf = (call: AuthorizedCall, mask: MaskText): OtelOperation => {
  const { registration, spec, implementation, input } = call;
  const model = modelIdOfKey(registration.key);
  if (model !== undefined) return modelOperation(model, input, commonAttributes(call, mask));
  return toolOperation(call, { key: registration.key, spec, implementation }, mask);
};

/** For a call that reached no layer. An unknown tool name is text of a model, so it names no series. */
export const observedOperation = (call: ObservedCall, mask: MaskText): OtelOperation => {
  const { registration } = call;
  if (registration === undefined) return unknownToolOperation(call, mask);
  const { key, tool } = registration;
  const model = modelIdOfKey(key);
  if (model !== undefined) return modelOperation(model, undefined, commonAttributes(call, mask));
  return toolOperation(call, { key, spec: tool.spec, implementation: tool.implementation._tag }, mask);
};

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

/** Tool names have no colon, so this prefix is unique to models. */
const modelIdOfKey = (key: string): string | undefined => {
  const [, model] = key.match(/^model:(.*)$/s) ?? [];
  return model === undefined ? undefined : toAttributeText(model);
};

/** Models and callers choose call ids, so an id may contain a secret. */
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

const remoteSources: ReadonlySet<string> = new Set(["http", "mcp"]);

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
