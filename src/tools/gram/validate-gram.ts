import type { Element, GramDocument, Item, Path, Property, Subject, Value } from "./document.ts";
import type { Diagnostic } from "./format-diagnostic.ts";
import { collectDefinitions } from "./validate/collect-definitions.ts";
import { diagnosticAt } from "./validate/diagnostic-at.ts";
import { findCycles } from "./validate/find-cycles.ts";

/** Options of `validateGram`. */
export interface ValidateGramOptions {
  /** Names that another file defines. */
  readonly defined?: Iterable<string>;
}

/**
 * Checks rules beyond the grammar: undefined references, duplicate definitions, brackets that contain
 * themselves, duplicate keys, and `null`, which gram reads as a symbol. Returns an empty list if all is well.
 */
export const validateGram = (
  document: GramDocument,
  options: ValidateGramOptions = {},
): readonly Diagnostic[] => {
  const { diagnostics, links } = collectDefinitions(document, new Set(options.defined ?? []));
  const all = [...diagnostics, ...findCycles(links), ...findAmbiguousValues(document)];
  return all.toSorted((left, right) => left.offset - right.offset);
};

const findAmbiguousValues = (document: GramDocument): readonly Diagnostic[] => {
  const found: Diagnostic[] = [];
  const inValue = (value: Value): void => {
    if (value.kind === "array") for (const each of value.items) inValue(each);
    else if (value.kind === "map") for (const each of value.entries) inValue(each.value);
    else if (value.kind === "symbol" && value.name === "null") {
      const message = "Expected a value, found `null`, which gram reads as a symbol of that name.";
      found.push(diagnosticAt(value.at, "null-symbol", message, "Gram has no null: omit the property."));
    }
  };
  const inProperties = (properties: readonly Property[]): void => {
    const seen = new Set<string>();
    for (const { key, value, at } of properties) {
      if (seen.has(key)) {
        const message = `Expected each key once, found "${key}" again.`;
        found.push(
          diagnosticAt(
            at,
            "duplicate-key",
            message,
            "Remove one of the two: gram readers disagree on which one is used.",
          ),
        );
      }
      seen.add(key);
      inValue(value);
    }
  };
  const inSubject = (subject: Subject | undefined): void => inProperties(subject?.properties ?? []);
  const inPath = (path: Path): void => {
    for (const each of path.nodes) inSubject(each.subject);
    for (const each of path.arrows) inSubject(each.subject);
  };
  const inItem = (item: Item | Element): void => {
    if (item.kind === "reference") return;
    if (item.kind === "path") inPath(item);
    else {
      inSubject(item.subject);
      for (const each of item.kind === "bracket" ? item.elements : [item.target]) inItem(each);
    }
  };
  inProperties(document.header?.properties ?? []);
  for (const item of document.items) inItem(item);
  return found;
};
