import type { Principal } from "../../../types/principal.ts";

export interface TruncatedContent {
  readonly handle: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly preview?: string;
}

export type TruncatedKind = "text" | "binary";

/** Offsets and lengths are bytes; text is cut between characters. */
export interface TruncatedPart {
  readonly handle: string;
  readonly kind: TruncatedKind;
  readonly mimeType?: string;
  readonly offset: number;
  readonly total: number;
  /** Missing at the end. */
  readonly next?: number;
  readonly text?: string;
  /** Base64. */
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
