import type { AppView } from "./apps.ts";
import type { CallFigures } from "./overview.ts";
import type { Caller, Finding, Page, Text } from "./shared.ts";

/** A tool in a list. */
export interface ToolLine {
  /** `tool`, `ns/tool` or `org/ns/tool`. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly title?: string;
  readonly origin: string;
  readonly source: string;
  readonly category: string;
  readonly risk: string;
  readonly tags: readonly string[];
  readonly requiresApproval: boolean;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  readonly destructive: boolean;
  readonly openWorld: boolean;
  readonly wireName: string;
  /** Its MCP server. */
  readonly server?: string;
  /** Why the tool is quarantined until it is reviewed. */
  readonly heldBack?: string;
}

/** Tools by name, or search results. */
export interface Catalog extends Page<ToolLine> {
  /** Search details, if a query was given. */
  readonly search?: ToolSearchResult;
}

/** Search results with explanations, best first. */
export interface ToolSearchResult {
  readonly query: string;
  /** Probability from 0 to 1 that the best result fits. */
  readonly confidence: number;
  readonly none?: string;
  readonly found: readonly ToolMatch[];
  /** Tools that were not selected, with the reason. */
  readonly passedOver: readonly (ToolMatch & { readonly why: string })[];
  readonly wishes: readonly { readonly text: string; readonly tools: readonly string[] }[];
}

/** A tool found by a search. */
export interface ToolMatch {
  readonly key: string;
  readonly score: number;
  readonly reason: string;
  readonly terms: readonly { readonly term: string; readonly place: string; readonly for?: string }[];
  /** Evidence by kind, from 0 to 1. */
  readonly evidence: Readonly<Record<string, number>>;
}

/** All details of a tool. */
export interface ToolDetail {
  readonly line: ToolLine;
  readonly signature?: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly timeoutMs?: number;
  readonly maxCost?: number;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Hash of its definition. */
  readonly definition: string;
  readonly implementation: string;
  readonly layers: readonly string[];
  /** Tools whose short name this tool takes. */
  readonly shadows: readonly string[];
  readonly shadowedBy?: string;
  readonly formats: readonly ToolFormat[];
  readonly copy: ToolCopies;
  readonly figures: CallFigures & {
    readonly failures: readonly { readonly code: string; readonly count: number }[];
  };
  /** Durations of recent calls, oldest first. */
  readonly recent: readonly {
    readonly entryId: string;
    readonly at: number;
    readonly durationMs?: number;
    readonly ending: string;
  }[];
  /** The App that shows its results. */
  readonly app?: { readonly server: string; readonly uri: string };
}

/** A tool in a vendor's format, with what the format loses. */
export interface ToolFormat {
  readonly format: string;
  readonly spelled: unknown;
  readonly losses: readonly { readonly pointer: string; readonly message: string; readonly kind?: string }[];
}

/** The call in other notations. */
export interface ToolCopies {
  readonly code: string;
  readonly commandLine: string;
  /** The parameters of `tools/call`. */
  readonly mcp: unknown;
}

/** The body of `POST /tools/{key}/call`. */
export interface ToolCallBody {
  readonly input: unknown;
  /** ID of a principal of `/rights`. Default: the signed-in person. */
  readonly as?: string;
}

/** Result of a call from the Studio. */
export interface ToolCallResult {
  readonly ok: boolean;
  /** Text for the model. */
  readonly content: Text;
  /** The value, if it is JSON. */
  readonly value?: unknown;
  readonly entryId?: string;
  readonly code?: string;
  /** ID of the pending approval. */
  readonly pending?: string;
  readonly media: readonly {
    readonly kind: string;
    readonly mediaType: string;
    readonly data?: string;
    readonly url?: string;
    readonly name?: string;
  }[];
  readonly caller: Caller;
  /** Data for the tool's App. */
  readonly app?: AppView;
}

/** The body of `POST /tools/{key}/validate`. */
export interface ValidateBody {
  readonly input: unknown;
}

/** Whether arguments match a tool's schema. */
export interface Validation {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** With defaults applied. */
  readonly value?: unknown;
  readonly copy: ToolCopies;
}
