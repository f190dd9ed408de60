import { isObject } from "../base/json/is-object.ts";
import type { Session } from "../runtime/session.ts";
import type { ToolNameIn, TypesOf } from "../runtime/tool-types.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import type { ApprovalDecision, ApprovalRequest } from "../types/approval.ts";
import type { JsonSchema } from "../types/json.ts";

/** How a session's tools are given to a framework. */
export interface IntegrationOptions {
  /**
   * In whose name an answer that comes through the framework is recorded. Unless set, such an answer counts for nothing and
   * the call waits on: whoever can write the framework's state could say yes. Persons answer with `haft approve` or
   * `session.answer`.
   */
  readonly answeredBy?: string;
}

/** A tool of a session in no framework's words yet. The schemas are copies: frameworks write into theirs. */
export interface SessionToolInfo {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
}

/** What the session's model may be shown right now. */
export const listSessionTools = (session: Session): readonly SessionToolInfo[] =>
  session.tools("mcp").map(({ name, title, description, inputSchema, outputSchema }) => ({
    name,
    title,
    description,
    inputSchema,
    outputSchema,
  }));

/** What goes into each tool and comes out of it, by name, where the compiler knows the runtime's tools. */
export type SessionToolTypes<All extends readonly ToolOrClass[]> = {
  readonly [Name in ToolNameIn<All>]: TypesOf<Name, All>;
};

/** What a framework's pause carries: all that a person needs to know, and the id to answer to. Plain JSON. */
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
 * What goes on with a pause of a framework that hands values back: the decision, and which question it is about. Frameworks
 * deal such values out by their order, and models can send them too, so that a bare yes could reach another call.
 */
export type PausedCallAnswer = ApprovalDecision & { readonly approvalId: string };

const decisionKinds: readonly unknown[] = ["allow", "deny", "edit"] satisfies ApprovalDecision["kind"][];

/** Whether a value that a framework handed back is such an answer. */
export const isPausedCallAnswer = (value: unknown): value is PausedCallAnswer =>
  isObject(value) && typeof value.approvalId === "string" && decisionKinds.includes(value.kind);
