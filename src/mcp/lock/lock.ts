import type { JsonSchema } from "../../types/json.ts";
import type { RemoteServer } from "../../types/mcp.ts";

/** How a child process is started. Of its environment only names are known here. */
export interface StdioLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly envKeys: readonly string[];
  /** What it may do in its sandbox. Without one, and where a lock is older than sandboxes, it runs without. */
  readonly sandbox?: LockedSandbox;
}

export interface LockedSandbox {
  readonly engine: "bubblewrap";
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: boolean;
}

export interface RemoteLaunch {
  readonly url: string;
  readonly transport: NonNullable<RemoteServer["transport"]>;
}

/** Who a server is for us: what our configuration starts or reaches, not what the server says of itself. */
export type Launch = StdioLaunch | RemoteLaunch;

/** What a model is told of a tool, and what its calls are checked against. */
export interface LockedDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** What it says of its app: `_meta.ui`. */
  readonly ui?: Readonly<Record<string, unknown>>;
  /** Of the app's page, which is another message of the server's: no part of what the tool itself says. */
  readonly uiHash?: string;
}

/** A tool as somebody reviewed it: the text, and the hash that this text must have. */
export interface LockedTool extends Omit<LockedDefinition, "name"> {
  readonly hash: string;
  /** Codes of dangers that a reviewer saw and let pass. */
  readonly accepted?: readonly string[];
}

export interface LockedServer {
  readonly launch: Launch;
  readonly launchHash: string;
  /** What the server calls itself; nothing goes by it. */
  readonly serverInfo?: string;
  readonly tools: Readonly<Record<string, LockedTool>>;
}

export interface Lock {
  /** In version 1 nothing is said of apps. */
  readonly lockVersion: 1 | 2;
  readonly servers: Readonly<Record<string, LockedServer>>;
}

/** A name may be one that every object has, such as `constructor`. */
export const ownValue = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
