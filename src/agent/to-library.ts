import type { LibraryEntry } from "../registry/library/library-entry.ts";
import { library } from "../registry/library.ts";
import type { Library } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";

/** A library, or its entries: tools, classes, implementations or plain functions by name. */
export type LibrarySource = Library | Readonly<Record<string, LibraryEntry>>;

export const toLibrary = (source: LibrarySource): Library => {
  if (typeof source !== "object" || source === null) {
    throw new ConfigurationError(
      "invalid_config",
      "A library is { name: tool | implementation | function }, or has a `lookup`.",
    );
  }
  // A single tool named "lookup" has to come in a library of its own.
  if (typeof source.lookup === "function") return source as Library;
  return library(source as Readonly<Record<string, LibraryEntry>>);
};
