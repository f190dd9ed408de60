import type { AppView } from "./apps.ts";
import type { CallFigures } from "./overview.ts";
import type { Caller, Finding, Page, Text } from "./shared.ts";

/** A tool as the catalog shows it. */
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
  /** The MCP server that it is of. */
  readonly server?: string;
  /** Why it is held back until somebody reviews it: no call of it is made. */
  readonly heldBack?: string;
}

/** Tools by name, or those that fit a question. */
export interface Catalog extends Page<ToolLine> {
  /** Of a query: what the search says. */
  readonly search?: ToolSearchResult;
}

/** Which tools fit a question, best first, and why. */
export interface ToolSearchResult {
  readonly query: string;
  /** 0 to 1: how likely it is that the best fits. */
  readonly confidence: number;
  readonly none?: string;
  readonly found: readonly ToolMatch[];
  /** What got no place, and why. */
  readonly passedOver: readonly (ToolMatch & { readonly why: string })[];
  readonly wishes: readonly { readonly text: string; readonly tools: readonly string[] }[];
}

/** A tool that was found for a question, and why. */
export interface ToolMatch {
  readonly key: string;
  readonly score: number;
  readonly reason: string;
  readonly terms: readonly { readonly term: string; readonly place: string; readonly for?: string }[];
  /** What speaks for it, each from 0 to 1. */
  readonly evidence: Readonly<Record<string, number>>;
}

/** Everything about one tool. */
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
  /** Tools that it keeps from answering to its short name. */
  readonly shadows: readonly string[];
  readonly shadowedBy?: string;
  readonly formats: readonly ToolFormat[];
  readonly copy: ToolCopies;
  readonly figures: CallFigures & {
    readonly failures: readonly { readonly code: string; readonly count: number }[];
  };
  /** Durations of its newest calls, for a chart: oldest first. */
  readonly recent: readonly {
    readonly entryId: string;
    readonly at: number;
    readonly durationMs?: number;
    readonly ending: string;
  }[];
  /** The page of an MCP App that shows its results. */
  readonly app?: { readonly server: string; readonly uri: string };
}

/** A tool as one vendor spells it, and what that leaves out. */
export interface ToolFormat {
  readonly format: string;
  readonly spelled: unknown;
  readonly losses: readonly { readonly pointer: string; readonly message: string; readonly kind?: string }[];
}

/** Ways to make the same call elsewhere. */
export interface ToolCopies {
  readonly code: string;
  readonly commandLine: string;
  /** The parameters of `tools/call`. */
  readonly mcp: unknown;
}

/** The body of `POST /tools/{key}/call`. */
export interface ToolCallBody {
  readonly input: unknown;
  /** The `id` of a principal of `/rights`. Unless set: who is signed in. */
  readonly as?: string;
}

/** What came of a call that was tried out. */
export interface ToolCallResult {
  readonly ok: boolean;
  /** What a model would be told. */
  readonly content: Text;
  /** Of a value that is JSON. */
  readonly value?: unknown;
  readonly entryId?: string;
  readonly code?: string;
  /** The approval that it waits for. */
  readonly pending?: string;
  readonly media: readonly {
    readonly kind: string;
    readonly mediaType: string;
    readonly data?: string;
    readonly url?: string;
    readonly name?: string;
  }[];
  readonly caller: Caller;
  /** What the App of the tool is given. */
  readonly app?: AppView;
}

/** The body of `POST /tools/{key}/validate`. */
export interface ValidateBody {
  readonly input: unknown;
}

/** Whether arguments keep to a tool's schema, for forms. */
export interface Validation {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** With defaults filled. */
  readonly value?: unknown;
  readonly copy: ToolCopies;
}
