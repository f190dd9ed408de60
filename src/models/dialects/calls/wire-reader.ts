import type { SlicePaths } from "../../json/raw-slices.ts";
import type { Drafts } from "./drafts.ts";
import type { Fields } from "./fields.ts";

/** Takes a stream's events one by one. What is no event of its wire says nothing. */
export interface EventReader {
  readonly read: (event: Fields) => void;
  /** The stream says `[DONE]`. */
  readonly done?: () => void;
}

/** How one vendor spells the calls of a reply, whole and in events. */
export interface WireReader {
  readonly body: (drafts: Drafts, body: Fields) => void;
  readonly events: (drafts: Drafts) => EventReader;
  /** Where this vendor sends arguments as objects instead of text. */
  readonly argumentPaths?: SlicePaths;
}
