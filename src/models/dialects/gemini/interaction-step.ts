import { type ForeignFields, foreignTextOf } from "../calls/read-untyped-fields.ts";

export interface InteractionStep {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

export const toInteractionStep = (step: ForeignFields): InteractionStep | undefined => {
  const providerExecuted = step.type === "mcp_server_tool_call";
  if (step.type !== "function_call" && !providerExecuted) return undefined;
  return {
    id: foreignTextOf(step.id),
    tool: foreignTextOf(step.name),
    input: step.arguments,
    providerExecuted,
  };
};

const truncationStates: ReadonlySet<unknown> = new Set([
  "incomplete",
  "failed",
  "cancelled",
  "budget_exceeded",
]);

export const isInteractionTruncation = (status: unknown): boolean => truncationStates.has(status);
