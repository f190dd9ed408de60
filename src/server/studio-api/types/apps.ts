/** An MCP App, to be shown in a frame of another origin. */
export interface AppPage {
  readonly server: string;
  readonly uri: string;
  readonly html: string;
  /** SHA-256 of the page. Permissions of a user apply to this content only. */
  readonly hash: string;
  /** Origins that the page may access. */
  readonly reach: AppOrigins;
  /** Rejected origins, one sentence each. */
  readonly refused: readonly string[];
}

/** Origins that an App may access, by purpose. */
export interface AppOrigins {
  /** Requests and sockets. */
  readonly connect: readonly string[];
  /** Scripts, styles, images, fonts and media. */
  readonly resource: readonly string[];
  /** Nested frames. */
  readonly frame: readonly string[];
  /** Base URLs. */
  readonly base: readonly string[];
}

/** An App of a server, with its tools. */
export interface AppLine {
  readonly uri: string;
  readonly tools: readonly string[];
}

/** An App and the data for it. */
export interface AppView {
  readonly server: string;
  readonly uri: string;
  /** The tool as defined by its server. */
  readonly tool: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: AppResult;
}

/** An MCP tool result. */
export interface AppResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: unknown;
}

/** The body of `POST /servers/{name}/apps/{uri}/call`. */
export interface AppCallBody {
  /** The server's name for the tool. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Result of a call by an App. */
export interface AppCallResult {
  readonly result: AppResult;
  readonly entryId?: string;
  /** ID of the pending approval. */
  readonly pending?: string;
}

/** The body of `POST /servers/{name}/apps/{uri}/read`. */
export interface AppReadBody {
  readonly uri: string;
}

/** An MCP resource. */
export interface AppResource {
  readonly contents: readonly Readonly<Record<string, unknown>>[];
}
