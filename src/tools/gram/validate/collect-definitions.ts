import { shorten } from "../../../base/text/cut-text.ts";
import type { Bracket, Element, GramDocument, Identity, Item, Path, Position, Subject } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import type { Containment } from "./find-cycles.ts";

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
export const collectDefinitions = (
  document: GramDocument,
  known: ReadonlySet<string>,
): CollectedDefinitions => {
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
