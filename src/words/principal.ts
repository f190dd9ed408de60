import * as Context from "effect/Context";

/** Who is calling. What it may use is the union of `allow` and `toolkits`, less `deny`. */
export interface Principal {
  readonly agent: string;
  readonly session?: string;
  readonly user?: string;
  readonly tenant?: string;
  /** Tool name patterns: `*` stands for part of one segment, `**` for any; `*` alone is every tool. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Names of toolkits the runtime was opened with. */
  readonly toolkits?: readonly string[];
  readonly roles?: readonly string[];
  /** Who lent this caller its right: nothing is allowed that is not allowed there too. */
  readonly within?: Principal;
}

/** The same party, whatever it may do: what one of them left, the other may go on with. */
export const isSameParty = (one: Principal | undefined, other: Principal | undefined): boolean =>
  one?.agent === other?.agent &&
  one?.session === other?.session &&
  one?.user === other?.user &&
  one?.tenant === other?.tenant;

/** The caller of the running fiber. Nobody by default, and nobody may use anything. */
export const CurrentPrincipal: Context.Reference<Principal | undefined> = Context.Reference<
  Principal | undefined
>("haft/CurrentPrincipal", { defaultValue: () => undefined });
