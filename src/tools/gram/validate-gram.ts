import { shorten } from "../../base/text/cut-text.ts";
import type {
  Bracket,
  Element,
  GramDocument,
  Identity,
  Item,
  Path,
  Position,
  Property,
  Subject,
  Value,
} from "./document.ts";
import type { Diagnostic } from "./format-diagnostic.ts";

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

interface Containment {
  readonly from: string;
  readonly to: string;
  readonly at: Position | undefined;
}

interface ElementVisit {
  readonly name: string;
  next: number;
}

/** Linear time. */
const findCycles = (links: readonly Containment[]): readonly Diagnostic[] => {
  const elements = Map.groupBy(links, ({ from }) => from);
  const state = new Map<string, "open" | "done">();
  const found: Diagnostic[] = [];
  for (const name of elements.keys()) {
    if (state.has(name)) continue;
    const stack: ElementVisit[] = [{ name, next: 0 }];
    state.set(name, "open");
    for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
      const link = elements.get(visit.name)?.[visit.next++];
      if (link === undefined) {
        state.set(visit.name, "done");
        stack.pop();
      } else if (state.get(link.to) === "open") found.push(cycleDiagnostic(link));
      else if (!state.has(link.to)) {
        state.set(link.to, "open");
        stack.push({ name: link.to, next: 0 });
      }
    }
  }
  return found;
};

const cycleDiagnostic = ({ from, to, at }: Containment): Diagnostic => {
  const message =
    from === to
      ? `Expected \`${to}\` not to contain itself, found it among its own elements.`
      : `Expected \`${to}\` not to contain itself, found it inside \`${from}\`, which it contains.`;
  return diagnosticAt(
    at,
    "self-containment",
    message,
    "Remove the reference, or join the two with an arrow.",
  );
};

const startPosition: Position = { line: 1, column: 1, offset: 0 };

/** Generated nodes have no position. */
const diagnosticAt = (at: Position | undefined, code: string, message: string, hint: string): Diagnostic => ({
  ...(at ?? startPosition),
  code,
  message,
  hint,
});

interface DefinitionScope {
  readonly outer?: DefinitionScope;
  /** Brackets, arrows and annotations. */
  readonly defined: Map<string, Position | undefined>;
  /** Nodes: the first mention with content defines, later ones must repeat it. */
  readonly mentioned: Map<string, string>;
}

interface CollectedDefinitions {
  readonly diagnostics: Diagnostic[];
  readonly links: Containment[];
  readonly references: { readonly scope: DefinitionScope; readonly identity: Identity }[];
}

/** Names inside a Tool are local. */
const collectDefinitions = (document: GramDocument, known: ReadonlySet<string>): CollectedDefinitions => {
  const found: CollectedDefinitions = { diagnostics: [], links: [], references: [] };
  const scope = newScope(undefined);
  for (const item of document.items) collectItem(found, item, scope);
  for (const { scope: from, identity } of found.references) {
    if (known.has(identity.name) || isDefined(from, identity.name)) continue;
    const message = `Expected \`${shortName(identity)}\` to be defined, found only references to it.`;
    const hint = `Define it in brackets, \`[${shortName(identity)}:Label]\`, or correct the name.`;
    found.diagnostics.push(diagnosticAt(identity.at, "undefined-reference", message, hint));
  }
  return found;
};

const newScope = (outer: DefinitionScope | undefined): DefinitionScope => ({
  ...(outer === undefined ? {} : { outer }),
  defined: new Map(),
  mentioned: new Map(),
});

const isDefined = (scope: DefinitionScope | undefined, name: string): boolean =>
  scope !== undefined &&
  (scope.defined.has(name) || scope.mentioned.has(name) || isDefined(scope.outer, name));

const shortName = ({ name }: Identity): string => shorten(name, 40);

const collectItem = (collected: CollectedDefinitions, item: Item, scope: DefinitionScope): void => {
  if (item.kind === "annotated") {
    define(collected, scope, item.subject.identity);
    collectElement(collected, item.target, { scope, owner: item.subject.identity, inTool: false });
  } else collectElement(collected, item, { scope, owner: undefined, inTool: false });
};

/** The owner is the container, unless that is local to a Tool. */
interface ElementContext {
  readonly scope: DefinitionScope;
  readonly owner: Identity | undefined;
  readonly inTool: boolean;
}

const collectElement = (collected: CollectedDefinitions, element: Element, place: ElementContext): void => {
  if (element.kind === "path") collectPath(collected, element, place);
  else if (element.kind === "bracket") collectBracket(collected, element, place);
  else {
    collected.references.push({ scope: place.scope, identity: element.identity });
    link(collected, place.owner, element.identity);
  }
};

const collectBracket = (
  collected: CollectedDefinitions,
  bracket: Bracket,
  { scope, owner, inTool }: ElementContext,
): void => {
  const { identity, labels } = bracket.subject;
  define(collected, scope, identity);
  if (identity !== undefined) link(collected, owner, identity);
  const local = inTool || labels.some(({ name }) => name === "Tool");
  const place = local
    ? { scope: newScope(scope), owner: undefined, inTool: true }
    : { scope, owner: identity ?? owner, inTool: false };
  for (const each of bracket.elements) collectElement(collected, each, place);
};

const collectPath = (collected: CollectedDefinitions, path: Path, { scope, owner }: ElementContext): void => {
  for (const { subject } of path.nodes) {
    mention(collected, scope, subject);
    if (subject.identity !== undefined) link(collected, owner, subject.identity);
  }
  for (const { subject } of path.arrows) define(collected, scope, subject?.identity);
};

const link = ({ links }: CollectedDefinitions, container: Identity | undefined, to: Identity): void => {
  if (container !== undefined) links.push({ from: container.name, to: to.name, at: to.at });
};

const define = (
  collected: CollectedDefinitions,
  { defined }: DefinitionScope,
  identity: Identity | undefined,
): void => {
  if (identity === undefined) return;
  if (!defined.has(identity.name)) defined.set(identity.name, identity.at);
  else reportDuplicate(collected, identity, defined.get(identity.name));
};

const mention = (collected: CollectedDefinitions, { mentioned }: DefinitionScope, subject: Subject): void => {
  const { identity } = subject;
  if (identity === undefined) return;
  const key = subjectKey(subject);
  const before = mentioned.get(identity.name);
  if (before === undefined || before === "") mentioned.set(identity.name, key);
  else if (key !== "" && key !== before) reportDuplicate(collected, identity, undefined);
};

/** "" for a bare name. */
const subjectKey = ({ labels, properties }: Subject): string => {
  if (labels.length + properties.length === 0) return "";
  const names = labels.map(({ name }) => name).toSorted();
  const values = properties.map(({ key, value }) => [key, value]);
  const spelling = new Set(["at", "comments", "style"]);
  return JSON.stringify([names, values], (key, value) => (spelling.has(key) ? undefined : value));
};

const reportDuplicate = (
  collected: CollectedDefinitions,
  identity: Identity,
  first: Position | undefined,
): void => {
  const where = first === undefined ? "again, and differently" : `again; it is defined on line ${first.line}`;
  const message = `Expected one definition of \`${shortName(identity)}\`, found it defined ${where}.`;
  const hint = "Give one of them another name, or refer to the first by its bare name.";
  collected.diagnostics.push(diagnosticAt(identity.at, "duplicate-definition", message, hint));
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
