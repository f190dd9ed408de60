import type { Principal } from "../../../words/principal.ts";

/** What stands where something large was. */
export interface Spilled {
  readonly handle: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Beginning and end of a text; nothing of binary data can be shown. */
  readonly preview?: string;
}

export type SpilledKind = "text" | "binary";

/** One part of what was spilled. Offsets and lengths are bytes; text is cut between characters. */
export interface SpilledPart {
  readonly handle: string;
  readonly kind: SpilledKind;
  readonly mimeType?: string;
  readonly offset: number;
  readonly total: number;
  /** Where the next part begins; missing at the end. */
  readonly next?: number;
  readonly text?: string;
  /** In base64. */
  readonly data?: string;
}

export interface SpillCall {
  readonly principal: Principal;
  readonly tool: string;
  readonly callId: string;
}

export interface SpillRange {
  readonly principal: Principal;
  readonly offset?: number;
  readonly length?: number;
}
