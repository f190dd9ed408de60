import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server";

export type Arguments = Readonly<Record<string, unknown>>;
export type Answer = CallToolResult | InputRequiredResult;

/** A tool that the conformance suite calls by name. */
export interface ToolFixture {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly execution?: { readonly taskSupport: "optional" | "required" };
  readonly call: (input: Arguments, context: ServerContext) => Answer | Promise<Answer>;
}

export const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

/** Client capabilities of this request. Empty for legacy clients, which the SDK tracks itself. */
export const capabilitiesOf = (context: ServerContext): Readonly<Record<string, unknown>> => {
  const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope };
  return { ...(envelope[CLIENT_CAPABILITIES_META_KEY] as object | undefined) };
};

/** Resolves early when the call is cancelled. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    // allow-sleep: the conformance suite asks for delays
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });

/** A flat object schema of strings. */
export const strings = (...names: readonly string[]) => ({
  type: "object" as const,
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
  required: [...names],
});
