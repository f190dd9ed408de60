import type { Claim } from "./claim.ts";
import type { IncompatibilityReason, ProofPosition } from "./reason.ts";
import type { SyntheticNodes } from "./synthetic-nodes.ts";

export const proofLimits = { steps: 20_000, nesting: 150 } as const;

export class ProofLimitError extends Error {}

/** Sound and incomplete: what it cannot prove counts as false. */
export interface Prover {
  /** Why a value that fits the claims may not fit the goal. Empty if it always fits. */
  readonly prove: (
    claims: readonly Claim[],
    goal: Claim,
    at: ProofPosition,
  ) => readonly IncompatibilityReason[];
  /** Whether no value fits all claims. */
  readonly isEmpty: (claims: readonly Claim[], at: ProofPosition) => boolean;
  readonly holds: (claim: Claim, value: unknown) => boolean;
  readonly shapeOf: (claim: Claim) => number;
  readonly made: SyntheticNodes;
}
