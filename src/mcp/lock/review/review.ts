import type { McpServerState, NamedMcpServer, RemoteTool } from "../../../types/mcp.ts";
import type { DefinitionFlag } from "../flags/flag.ts";
import type { Launch, LockedDefinition } from "../lock.ts";

export interface ServerListing {
  readonly server: NamedMcpServer;
  readonly serverInfo?: McpServerState["serverInfo"];
  readonly tools: readonly RemoteTool[];
  readonly pages?: ReadonlyMap<string, string>;
  readonly trouble?: string;
}

export interface ToolReview {
  readonly name: string;
  /** `refused` cannot be locked; `same` is listed only for its flags. */
  readonly change: "added" | "removed" | "changed" | "renamed" | "same" | "refused";
  readonly from?: string;
  readonly was?: LockedDefinition;
  readonly now?: LockedDefinition;
  readonly pointers: readonly string[];
  readonly flags: readonly DefinitionFlag[];
  readonly accepted: readonly string[];
  readonly lookalikeOf?: string;
  readonly problem?: string;
}

export interface ServerReview {
  readonly id: string;
  /** `unseen`: the server was unreachable. */
  readonly change: "added" | "removed" | "changed" | "same" | "unseen";
  readonly was?: Launch;
  readonly now?: Launch;
  readonly findings: readonly string[];
  readonly trouble?: string;
  /** Excludes unchanged tools without open dangers. */
  readonly tools: readonly ToolReview[];
  readonly unchanged: number;
}

export interface LockComparison {
  readonly isClean: boolean;
  readonly servers: readonly ServerReview[];
}

export const findOpenDangers = ({ flags, accepted }: ToolReview): readonly DefinitionFlag[] =>
  flags.filter(({ severity, code }) => severity === "danger" && !accepted.includes(code));
