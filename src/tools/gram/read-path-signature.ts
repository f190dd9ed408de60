import type { Arrow, Bracket, Path, PathNode, Subject } from "./document.ts";
import type { DiagnosticCollector } from "./format-diagnostic.ts";
import { positionOf, readParameter, readUnnamedShape } from "./signature/read-fields.ts";
import type { Signature } from "./signature-types.ts";

const example = 'A signature is (name::String {default: "world"})==>(::String).';

/** `shapes` are brackets that describe Objects and Arrays by name. */
export const readPathSignature = (
  path: Path,
  shapes: readonly Bracket[],
  problems: DiagnosticCollector,
): Signature | undefined => {
  const before = problems.list.length;
  const namedShapes = shapesByName(shapes, problems);
  const shapeOf = (node: PathNode) => namedShapes.get(node.subject.identity?.name ?? "");
  for (const arrow of path.arrows) checkArrow(arrow, problems);
  const last = path.nodes.at(-1);
  if (last === undefined || path.nodes.length < 2) {
    problems.add(
      "missing-result",
      path.at,
      "The signature has no result",
      `${example} Without parameters it is ()==>(::String).`,
    );
    return undefined;
  }
  const given = path.nodes.slice(0, -1);
  const isEmpty = given.length === 1 && isEmptySubject(given[0]!.subject);
  const parameters = isEmpty ? [] : given.map((node) => readParameter(node, problems, shapeOf(node)));
  refuseDuplicateNames(given, problems);
  if (isEmptySubject(last.subject))
    problems.add("missing-result", last.at, "The signature has no result type", example);
  const result = isEmptySubject(last.subject)
    ? undefined
    : readUnnamedShape(last, "A result", problems, shapeOf(last));
  reportUnusedShapes(namedShapes, path.nodes, problems);
  if (result === undefined || problems.list.length > before) return undefined;
  return { form: "path", parameters, result, effect: false };
};

const isEmptySubject = ({ identity, labels, properties }: Subject): boolean =>
  identity === undefined && labels.length === 0 && properties.length === 0;

const checkArrow = ({ direction, subject, at }: Arrow, problems: DiagnosticCollector): void => {
  if (direction !== "right") {
    problems.add(
      "wrong-arrow",
      at,
      "The arrows of a signature point to the result",
      `Write ==>, --> or ~~>. ${example}`,
    );
  }
  if (subject === undefined) return;
  const labels = subject.labels.every(({ name }) => name.toLowerCase() === "functiontype");
  if (labels && subject.properties.length === 0) return;
  problems.add(
    "wrong-arrow",
    at,
    "An arrow of a signature can have only the label FunctionType",
    "Write ==>.",
  );
};

const refuseDuplicateNames = (nodes: readonly PathNode[], problems: DiagnosticCollector): void => {
  const seen = new Set<string>();
  for (const node of nodes) {
    const name = node.subject.identity?.name;
    if (name === undefined) continue;
    if (seen.has(name)) {
      const message = `The parameter "${name}" occurs twice`;
      problems.add("duplicate-parameter", positionOf(node), message, "Rename one of the two.");
    }
    seen.add(name);
  }
};

const shapesByName = (
  shapes: readonly Bracket[],
  problems: DiagnosticCollector,
): ReadonlyMap<string, Bracket> => {
  const found = new Map<string, Bracket>();
  for (const shape of shapes) {
    const name = shape.subject.identity?.name;
    if (name === undefined) {
      problems.add(
        "unnamed-shape",
        shape.at,
        "This shape has no name",
        "Name its parameter: [address:Object | …].",
      );
    } else if (found.has(name)) {
      problems.add("duplicate-shape", shape.at, `The shape "${name}" occurs twice`, "Remove one of the two.");
    } else found.set(name, shape);
  }
  return found;
};

/** Probably misspelled. */
const reportUnusedShapes = (
  namedShapes: ReadonlyMap<string, Bracket>,
  nodes: readonly PathNode[],
  problems: DiagnosticCollector,
): void => {
  const names = new Set(nodes.map(({ subject }) => subject.identity?.name));
  for (const [name, { at }] of namedShapes) {
    if (names.has(name)) continue;
    problems.add(
      "unused-shape",
      at,
      `No parameter and no result of this signature is called "${name}"`,
      "Give a shape the name of its parameter. Put a nested shape inside its parent: [address:Object | [geo:Object | (lat::Number)]].",
    );
  }
};
