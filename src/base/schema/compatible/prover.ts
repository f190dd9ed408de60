import type { Claim } from "./claim.ts";
import type { IncompatibilityReason, ProofPosition } from "./reason.ts";
import type { SyntheticNodes } from "./synthetic-nodes.ts";

/** Work that may be spent on one comparison: questions asked and values judged, and questions inside of questions. */
export const proofLimits = { steps: 20_000, nesting: 150 } as const;

export class ProofLimitError extends Error {}

/** Answers with what it can prove; what it cannot, it denies. */
export interface Prover {
  /** Why not everything that fits the claims fits the goal; nothing when it is proven that it does. */
  readonly prove: (
    claims: readonly Claim[],
    goal: Claim,
    at: ProofPosition,
  ) => readonly IncompatibilityReason[];
  /** Whether it is proven that nothing fits all of the claims. */
  readonly isEmpty: (claims: readonly Claim[], at: ProofPosition) => boolean;
  readonly holds: (claim: Claim, value: unknown) => boolean;
  readonly shapeOf: (claim: Claim) => number;
  readonly made: SyntheticNodes;
}
