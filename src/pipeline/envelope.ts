import type { Failure } from "../types/failure.ts";
import type { ContentPart } from "../types/message.ts";

/** A call for `haft.execute`, with the names of its caller. */
export interface ToolInput {
  readonly toolName: string;
  readonly arguments: unknown;
  readonly agentId: string;
  readonly sessionId: string;
  readonly correlationId?: string;
}

/** Result of `haft.execute`. */
export interface ToolOutput {
  readonly toolName: string;
  readonly success: boolean;
  readonly result: unknown;
  /** Media that the tool returned with the value. */
  readonly parts?: readonly ContentPart[];
  readonly error?: string;
  readonly executionTimeMs: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export const refusedOutput = (input: ToolInput, { code, message }: Failure): ToolOutput => ({
  toolName: input.toolName,
  success: false,
  result: null,
  error: message,
  executionTimeMs: 0,
  metadata: { code },
});

/** An unreadable envelope becomes a call without a tool name, so that it is recorded and refused. */
export const readEnvelope = (given: unknown): ToolInput => {
  try {
    const { toolName, arguments: input, agentId, sessionId, correlationId } = given as ToolInput;
    const names = [toolName, agentId, sessionId];
    if (!names.every((name) => typeof name === "string")) return unreadableEnvelope;
    return {
      toolName,
      arguments: input,
      agentId,
      sessionId,
      ...(typeof correlationId === "string" ? { correlationId } : {}),
    };
  } catch {
    return unreadableEnvelope;
  }
};

export const unreadableEnvelope: ToolInput = Object.freeze({
  toolName: "",
  arguments: undefined,
  agentId: "",
  sessionId: "",
});
