/** Times are milliseconds since 1970, durations milliseconds. Texts are data: nothing in an answer is HTML. */

/** A text of somebody else's. One of more than 64 KB is cut, and `href` has the whole of it. */
export interface Text {
  readonly text: string;
  readonly cut?: true;
  /** Of the whole text, in characters. */
  readonly length?: number;
  readonly href?: string;
}

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** There is more than `limit` let through. */
  readonly isCut: boolean;
  /** What `cursor` takes for what comes behind this page. */
  readonly next?: string;
  /** The same for what comes before it, with `direction=newer`. */
  readonly previous?: string;
  /** How many there are on all pages. */
  readonly total?: Count;
}

/** How many, and whether somebody counted them. */
export interface Count {
  readonly count: number;
  readonly isEstimate: boolean;
}

/** What every refusal answers with. */
export interface ApiError {
  readonly error: {
    /** `not_found`, `missing_scope`, `already_answered`, … */
    readonly code: string;
    readonly message: string;
    /** Of `missing_scope`: the scope that is missing. */
    readonly scope?: Scope;
    /** Of `invalid`: what is wrong, by JSON pointer. */
    readonly findings?: readonly Finding[];
  };
}

/** One thing that is wrong with a value. */
export interface Finding {
  /** JSON pointer; "" is the whole. */
  readonly pointer: string;
  readonly message: string;
}

/** `studio:read` looks, `studio:approve` answers questions and reviews, `studio:run` calls tools and runs agents. */
export type Scope = "studio:read" | "studio:approve" | "studio:run";

/** A principal, as the ledger and the configuration name it. */
export interface Caller {
  readonly agent: string;
  readonly user?: string;
  readonly tenant?: string;
  readonly session?: string;
  readonly roles?: readonly string[];
  /** Who lent it its right. */
  readonly within?: Caller;
}

/** Who is signed in, and what there is to look at. */
export interface Me {
  /** Under which name answers are recorded. */
  readonly name: string;
  /** As whom tools are called unless `as` names somebody else. */
  readonly principal?: Caller;
  readonly scopes: readonly Scope[];
  /** Until when a session of a cookie lasts. */
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
    /** Rows of a chain, which `/verify` follows. */
    readonly chain: boolean;
  };
  /** Where pages of MCP Apps may be shown. */
  readonly appOrigin?: string;
}

/** Where calls are written down. */
export interface LedgerPlace {
  readonly kind: "memory" | "sqlite" | "postgres" | "other";
  /** Without any password. */
  readonly place?: string;
}
