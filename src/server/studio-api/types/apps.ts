/** A page of an MCP App, as data: it is shown in a frame of another origin. */
export interface AppPage {
  readonly server: string;
  readonly uri: string;
  readonly html: string;
  /** SHA-256 of the page. What a person allowed an App counts for this page only. */
  readonly hash: string;
  /** What the page may reach, and nothing else. */
  readonly reach: AppOrigins;
  /** What it said it wants to reach and may not, a sentence each. */
  readonly refused: readonly string[];
}

/** Origins that the page of an App may reach, by what for. An empty list is none. */
export interface AppOrigins {
  /** Requests and sockets. */
  readonly connect: readonly string[];
  /** Scripts, styles, pictures, fonts, sounds. */
  readonly resource: readonly string[];
  /** Frames in it. */
  readonly frame: readonly string[];
  /** What its relative addresses may be of. */
  readonly base: readonly string[];
}

/** The App of a server, and the tools whose results it shows. */
export interface AppLine {
  readonly uri: string;
  readonly tools: readonly string[];
}

/** A call that an App shows: which page, and what the page is given. */
export interface AppView {
  readonly server: string;
  readonly uri: string;
  /** The tool as its server defines it. */
  readonly tool: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: AppResult;
}

/** A result as the protocol has it. */
export interface AppResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: unknown;
}

/** The body of `POST /servers/{name}/apps/{uri}/call`. */
export interface AppCallBody {
  /** As the server calls it. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What came of a call that an App made. */
export interface AppCallResult {
  readonly result: AppResult;
  readonly entryId?: string;
  /** The approval that it waits for. */
  readonly pending?: string;
}

/** The body of `POST /servers/{name}/apps/{uri}/read`. */
export interface AppReadBody {
  readonly uri: string;
}

/** A resource that an App read, as the protocol has it. */
export interface AppResource {
  readonly contents: readonly Readonly<Record<string, unknown>>[];
}
