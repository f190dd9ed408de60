import type { Caller } from "./shared.ts";

/** Who may be asked about. */
export interface NamedPrincipal {
  /** What `as` takes. */
  readonly id: string;
  readonly caller: Caller;
  /** One of the ledger has no rights of its own here: what it may is not known. */
  readonly from: "signed-in" | "runtime" | "configuration" | "ledger";
  readonly lastSeenAt?: number;
}

/** `approve` needs a person; `unknown` is what an engine did not say. */
export type RightEffect = "allow" | "approve" | "deny" | "unknown";

/** Principals × tools. */
export interface Rights {
  readonly principals: readonly NamedPrincipal[];
  readonly tools: readonly string[];
  /** There are more tools or principals. */
  readonly isCut: boolean;
  /** In the order of `principals`, each in the order of `tools`. */
  readonly cells: readonly (readonly Right[])[];
}

/** What one principal may with one tool, and what decided it. */
export interface Right {
  readonly effect: RightEffect;
  readonly reason: string;
  readonly ruleIds: readonly string[];
}

/** Why somebody may or may not call a tool. */
export interface RightExplained extends Right {
  readonly tool: string;
  readonly caller: Caller;
  /** All of it in sentences. */
  readonly text: string;
  readonly rules: readonly {
    readonly id: string;
    readonly effect: RightEffect;
    readonly concerns: boolean;
    readonly covers: boolean;
    readonly met?: boolean;
    readonly unmet: readonly string[];
  }[];
  readonly links: readonly {
    readonly agent: string;
    readonly user?: string;
    readonly tenant?: string;
    readonly effect: RightEffect;
    readonly reason: string;
    readonly rights: readonly { readonly who: string; readonly refusal?: string }[];
  }[];
}
