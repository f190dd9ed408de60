import type { SlicePaths } from "../../../base/json/raw-slices.ts";
import type { CallDrafts } from "./call-drafts.ts";
import type { ForeignFields } from "./foreign-fields.ts";

/** Takes a stream's events one by one. What is no event of its wire says nothing. */
export interface EventReader {
  readonly read: (event: ForeignFields) => void;
  /** The stream says `[DONE]`. */
  readonly done?: () => void;
}

/** How one vendor spells the calls of a reply, whole and in events. */
export interface WireReader {
  readonly body: (drafts: CallDrafts, body: ForeignFields) => void;
  readonly events: (drafts: CallDrafts) => EventReader;
  /** Where this vendor sends arguments as objects instead of text. */
  readonly argumentPaths?: SlicePaths;
}
