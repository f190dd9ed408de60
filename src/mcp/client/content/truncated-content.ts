import type { Principal } from "../../../types/principal.ts";

/** What stands where something large was. */
export interface TruncatedContent {
  readonly handle: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Beginning and end of a text; nothing of binary data can be shown. */
  readonly preview?: string;
}

export type TruncatedKind = "text" | "binary";

/** One part of what was spilled. Offsets and lengths are bytes; text is cut between characters. */
export interface TruncatedPart {
  readonly handle: string;
  readonly kind: TruncatedKind;
  readonly mimeType?: string;
  readonly offset: number;
  readonly total: number;
  /** Where the next part begins; missing at the end. */
  readonly next?: number;
  readonly text?: string;
  /** In base64. */
  readonly data?: string;
}

export interface TruncationCall {
  readonly principal: Principal;
  readonly tool: string;
  readonly callId: string;
}

export interface TruncationRange {
  readonly principal: Principal;
  readonly offset?: number;
  readonly length?: number;
}
