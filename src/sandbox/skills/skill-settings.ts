import type { HttpMethod } from "../../base/http/http-egress.ts";
import type { EngineName, SandboxLimits } from "../sandbox.ts";

/** Settings of the built-in file tools. */
export interface FileSkillSettings {
  /**
   * Readable folders, including subfolders. Relative paths of all file tools begin in the first. Unless set:
   * `security.allowedFilePathPrefix`.
   */
  readonly read: readonly string[];
  /** Writable folders. Unless set: none. */
  readonly write: readonly string[];
  /** Maximum number of bytes per read or write. Unless set: 262,144. */
  readonly maxBytes: number;
  /** Whether names that begin with a dot, such as `.env` and `.git`, are visible. Unless set: false. */
  readonly hidden: boolean;
}

/** Settings of `http-get` and `http-request`. */
export interface HttpSkillSettings {
  /**
   * Allowed hosts: `example.com`, `*.example.com` for subdomains, `example.com:8443` for another port, or
   * `*`. Unless set: none.
   */
  readonly hosts: readonly string[];
  /** Methods that `http-request` may use. Unless set: GET and HEAD. */
  readonly methods: readonly HttpMethod[];
  /** Headers that a model may set. Unless set: accept, accept-language and content-type. */
  readonly headers: readonly string[];
  /** Maximum response body in bytes. Unless set: 524,288. */
  readonly maxBytes: number;
  /** Timeout of a whole request in milliseconds. Unless set: 20,000. */
  readonly timeoutMs: number;
}

/** A search provider. */
export type SearchProvider = "tavily" | "brave" | "searxng";

/** Settings of `web-search`. */
export interface SearchSkillSettings {
  /** Search provider: `tavily`, `brave` or `searxng`. Unless set: `tavily`. */
  readonly provider: SearchProvider;
  /** URL of a SearXNG instance or of a compatible endpoint. Unless set: the provider's own. */
  readonly url?: string;
  /**
   * Name of the credential that holds the key. Unless set: the variable `TAVILY_API_KEY` or `BRAVE_API_KEY`.
   */
  readonly credential?: string;
  /** Maximum number of results that a model may request. Unless set: 10. */
  readonly maxResults: number;
}

/** Settings of `code-execute`. */
export interface CodeSkillSettings {
  /**
   * Allowed engines: `quickjs`, `deno`, `pyodide` and `bubblewrap`. Unless set: `quickjs`, which has no
   * access to the machine.
   */
  readonly engines: readonly EngineName[];
  /** Limits of one program: `{ wallMs, cpuMs, memoryBytes, … }`. Unless set: the sandbox defaults. */
  readonly limits: Partial<SandboxLimits>;
}

/** How `shell` may start one command. */
export interface AllowedCommand {
  /** Allowed options, which begin with `-`. One that ends in `=` allows any value. Unless set: none. */
  readonly args?: readonly string[];
}

/** Without permissions the tools reach nothing. */
export interface SkillSettings {
  readonly files: FileSkillSettings;
  readonly http: HttpSkillSettings;
  readonly search: SearchSkillSettings;
  readonly code: CodeSkillSettings;
  readonly commands: Readonly<Record<string, AllowedCommand>>;
  /** Always refused. */
  readonly blockedCommands: readonly string[];
}
