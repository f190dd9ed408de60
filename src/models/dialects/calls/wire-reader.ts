import type { SlicePaths } from "../../../base/json/raw-slices.ts";
import type { CallDrafts } from "./call-drafts.ts";
import type { ForeignFields } from "./read-untyped-fields.ts";

export interface EventReader {
  readonly read: (event: ForeignFields) => void;
  /** The stream sent `[DONE]`. */
  readonly done?: () => void;
}

export interface WireReader {
  readonly body: (drafts: CallDrafts, body: ForeignFields) => void;
  readonly events: (drafts: CallDrafts) => EventReader;
  /** Arguments that the vendor sends as objects. */
  readonly argumentPaths?: SlicePaths;
}
