import { isObject } from "../base/json/json-value.ts";
import type { Session } from "../runtime/session.ts";
import type { ToolNameIn, TypesOf } from "../runtime/tool-types.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import type { ApprovalDecision, ApprovalRequest } from "../types/approval.ts";
import type { JsonSchema } from "../types/json.ts";

/** Options for a session's tools in a framework. */
export interface IntegrationOptions {
  /**
   * The name under which answers through the framework are recorded. If missing, they are ignored, because
   * any writer of the framework's state could approve a call.
   */
  readonly answeredBy?: string;
}

/** The schemas are copies, because frameworks modify them. */
export interface SessionToolInfo {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
}

export const listSessionTools = (session: Session): readonly SessionToolInfo[] =>
  session.tools("mcp").map(({ name, title, description, inputSchema, outputSchema }) => ({
    name,
    title,
    description,
    inputSchema,
    outputSchema,
  }));

export type SessionToolTypes<All extends readonly ToolOrClass[]> = {
  readonly [Name in ToolNameIn<All>]: TypesOf<Name, All>;
};

/**
 * The payload of a framework's pause: what an approver needs to know, and the id for the answer. Plain JSON.
 */
export interface PausedCallRequest {
  readonly approvalId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
}

export const toPausedCallRequest = ({ id, tool, input, reason }: ApprovalRequest): PausedCallRequest => ({
  approvalId: id,
  tool,
  input,
  reason,
});

/**
 * A decision and the id of its request. Frameworks assign resume values by order and models can send them
 * too, so a decision without the id could reach another call.
 */
export type PausedCallAnswer = ApprovalDecision & { readonly approvalId: string };

const decisionKinds: readonly unknown[] = ["allow", "deny", "edit"] satisfies ApprovalDecision["kind"][];

export const isPausedCallAnswer = (value: unknown): value is PausedCallAnswer =>
  isObject(value) && typeof value.approvalId === "string" && decisionKinds.includes(value.kind);
