import type { Session } from "../../runtime/session.ts";
import type { Toolish } from "../../tool/decorator.ts";
import { type BridgedTypes, type BridgeOptions, bridgedTools } from "../bridged-tool.ts";
import { HaftTool } from "./haft-tool.ts";

/** One of them for each tool of the session; which one it is, its name tells. */
export type LangChainTools<All extends readonly Toolish[]> = {
  [Name in keyof BridgedTypes<All> & string]: HaftTool<
    Name,
    BridgedTypes<All>[Name]["input"],
    BridgedTypes<All>[Name]["output"]
  >;
}[keyof BridgedTypes<All> & string][];

/**
 * The session's tools for `bindTools`, a `ToolNode` or `createAgent`. A call that waits for a person pauses its graph
 * with an interrupt whose value is a `PausedCallQuestion`: `graph.invoke(null, config)` goes on once it is answered.
 */
export const toLangChainTools = <const All extends readonly Toolish[]>(
  session: Session<All>,
  options: BridgeOptions = {},
): LangChainTools<All> =>
  bridgedTools(session).map((tool) => new HaftTool(session, tool, options)) as LangChainTools<All>;
