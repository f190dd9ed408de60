/** Times and durations are in milliseconds, times since 1970. Texts are data: responses contain no HTML. */

/** A foreign text. Above 64 KB it is truncated, and `href` has the full text. */
export interface Text {
  readonly text: string;
  readonly cut?: true;
  /** Length of the full text in characters. */
  readonly length?: number;
  readonly href?: string;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** There are more items. */
  readonly isCut: boolean;
  /** `cursor` of the next page. */
  readonly next?: string;
  /** `cursor` of the previous page, with `direction=newer`. */
  readonly previous?: string;
  /** Number of items on all pages. */
  readonly total?: Count;
}

/** A number, exact or estimated. */
export interface Count {
  readonly count: number;
  readonly isEstimate: boolean;
}

/** Body of every error response. */
export interface ApiError {
  readonly error: {
    /** `not_found`, `missing_scope`, `already_answered`, … */
    readonly code: string;
    readonly message: string;
    /** The missing scope, for `missing_scope`. */
    readonly scope?: Scope;
    /** Problems by JSON pointer, for `invalid`. */
    readonly findings?: readonly Finding[];
  };
}

/** One problem of a value. */
export interface Finding {
  /** JSON pointer; "" is the whole value. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * `studio:read` reads, `studio:approve` answers approvals and reviews, `studio:run` calls tools and runs
 * agents.
 */
export type Scope = "studio:read" | "studio:approve" | "studio:run";

/** A principal without its rights. */
export interface Caller {
  readonly agent: string;
  readonly user?: string;
  readonly tenant?: string;
  readonly session?: string;
  readonly roles?: readonly string[];
  /** The delegator. */
  readonly within?: Caller;
}

/** The signed-in person, and what this Studio offers. */
export interface Me {
  /** Name recorded with answers. */
  readonly name: string;
  /** Default principal of tool calls. */
  readonly principal?: Caller;
  readonly scopes: readonly Scope[];
  /** When the session expires. */
  readonly endsAt?: number;
  readonly version: string;
  readonly ledger: LedgerPlace;
  readonly agents: readonly string[];
  readonly has: {
    readonly fleet: boolean;
    readonly experiments: boolean;
    readonly servers: boolean;
    readonly agents: boolean;
    readonly approvals: boolean;
    readonly runs: boolean;
    /** The ledger has a hash chain that `/verify` checks. */
    readonly chain: boolean;
  };
  /** Origin for MCP Apps. */
  readonly appOrigin?: string;
}

/** Kind and location of the ledger. */
export interface LedgerPlace {
  readonly kind: "memory" | "sqlite" | "postgres" | "other";
  /** Without any password. */
  readonly place?: string;
}
