import type { LibraryEntry } from "../registry/library/library-entry.ts";
import { library } from "../registry/library.ts";
import type { Library } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";

/** A library, or its entries by name. */
export type LibrarySource = Library | Readonly<Record<string, LibraryEntry>>;

export const toLibrary = (source: LibrarySource): Library => {
  if (typeof source !== "object" || source === null) {
    throw new ConfigurationError(
      "invalid_config",
      "A library must be { name: tool | implementation | function }, or have a `lookup`.",
    );
  }
  // A tool named "lookup" must therefore be passed in a library.
  if (typeof source.lookup === "function") return source as Library;
  return library(source as Readonly<Record<string, LibraryEntry>>);
};
