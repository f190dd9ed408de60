import type { CallbackManagerForToolRun } from "@langchain/core/callbacks/manager";
import { DynamicStructuredTool, type ToolReturnType, type ToolRunnableConfig } from "@langchain/core/tools";
import type { Session } from "../../runtime/session.ts";
import type { IntegrationOptions, SessionToolInfo } from "../session-tools.ts";
import { invokeSessionTool } from "./invoke-session-tool.ts";

type JsonSchema = Record<string, unknown>;

/** A session's tool in LangChain. Called with a model's tool call, it returns a `ToolMessage`. */
export class HaftTool<
  Name extends string = string,
  Input = unknown,
  Output = unknown,
> extends DynamicStructuredTool<JsonSchema, Input, Input, Output, unknown, Name> {
  constructor(
    session: Session,
    { name, description, inputSchema }: SessionToolInfo,
    options: IntegrationOptions,
  ) {
    super({
      name: name as Name,
      description,
      schema: inputSchema,
      func: (input: Input, run?: CallbackManagerForToolRun, config?: ToolRunnableConfig) =>
        invokeSessionTool(session, { tool: name, input }, options, run, config ?? {}) as Promise<Output>,
    });
  }

  /** Skips LangChain's validation: the session repairs and validates arguments, and records refusals. */
  override call<A, C extends ToolRunnableConfig | undefined>(
    arg: A,
    config?: C,
    tags?: string[],
  ): Promise<ToolReturnType<NonNullable<A>, C, Output>> {
    const unchecked = Object.create(this, { schema: { value: {} } }) as this;
    return super.call.call(unchecked, arg as never, config as never, tags) as never;
  }
}
