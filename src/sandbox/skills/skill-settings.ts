import type { HttpMethod } from "../../base/http/http-egress.ts";
import type { EngineName, SandboxLimits } from "../sandbox.ts";

/** Where the built-in file tools may work. */
export interface FileSkillSettings {
  /** Folders that may be read in, with all that is below. Paths of every file tool begin in the first. Unless set: `security.allowedFilePathPrefix`. */
  readonly read: readonly string[];
  /** Folders that may be written in. Unless set: none. */
  readonly write: readonly string[];
  /** The most bytes that one call reads or writes. Unless set: 262,144. */
  readonly maxBytes: number;
  /** Whether names that begin with a dot, such as `.env` and `.git`, may be seen, read and written. Unless set: false. */
  readonly hidden: boolean;
}

/** What `http-get` and `http-request` may reach. */
export interface HttpSkillSettings {
  /** `example.com`, `*.example.com` for what is below it, `example.com:8443` for another port, or `*`. Unless set: none. */
  readonly hosts: readonly string[];
  /** Methods that `http-request` may use. Unless set: GET and HEAD. */
  readonly methods: readonly HttpMethod[];
  /** Headers that a model may set. Unless set: accept, accept-language and content-type. */
  readonly headers: readonly string[];
  /** The longest answer that is read. Unless set: 524,288. */
  readonly maxBytes: number;
  /** How long a whole answer may take. Unless set: 20,000. */
  readonly timeoutMs: number;
}

/** Who answers searches. */
export type SearchProvider = "tavily" | "brave" | "searxng";

/** Who `web-search` asks. */
export interface SearchSkillSettings {
  /** `tavily`, `brave` or `searxng`. Unless set: `tavily`. */
  readonly provider: SearchProvider;
  /** Where a SearXNG is, or another endpoint that answers like the provider. Unless set: the provider's own. */
  readonly url?: string;
  /** The credential that holds the key. Unless set: the variable `TAVILY_API_KEY` or `BRAVE_API_KEY`. */
  readonly credential?: string;
  /** The most results that a model may ask for. Unless set: 10. */
  readonly maxResults: number;
}

/** What runs the programs of `code-execute`. */
export interface CodeSkillSettings {
  /** `quickjs`, `deno`, `pyodide` and `bubblewrap`, as far as they are granted. Unless set: `quickjs`, which reaches nothing. */
  readonly engines: readonly EngineName[];
  /** The most that one program may use: `{ wallMs, cpuMs, memoryBytes, … }`. Unless set: those of the sandbox. */
  readonly limits: Partial<SandboxLimits>;
}

/** How `shell` may start one command. */
export interface AllowedCommand {
  /** Words that begin with `-` and may be given to it; one that ends in `=` with any value behind it. Unless set: none. */
  readonly args?: readonly string[];
}

/** What built-in tools are granted, and within which limits. Without a grant they reach nothing. */
export interface SkillSettings {
  readonly files: FileSkillSettings;
  readonly http: HttpSkillSettings;
  readonly search: SearchSkillSettings;
  readonly code: CodeSkillSettings;
  readonly commands: Readonly<Record<string, AllowedCommand>>;
  /** Commands that are refused whatever is granted. */
  readonly blockedCommands: readonly string[];
}
