import type {
  Element,
  GramDocument,
  Item,
  NumberValue,
  Property,
  Subject,
  Value,
} from "../../src/gram/document.ts";

/** Every name and plain value of a document, in the order in which they are written. */
export const textsOf = ({ header, items }: GramDocument): readonly string[] => [
  ...(header?.properties ?? []).flatMap(inProperty),
  ...items.flatMap(inItem),
];

const inItem = (item: Item | Element): readonly string[] => {
  switch (item.kind) {
    case "reference":
      return [item.identity.name];
    case "bracket":
      return [...inSubject(item.subject), ...item.elements.flatMap(inItem)];
    case "annotated":
      return [...inSubject(item.subject), ...inItem(item.target)];
    case "path":
      return item.nodes.flatMap(({ subject }, index) => [
        ...inSubject(item.arrows[index - 1]?.subject),
        ...inSubject(subject),
      ]);
  }
};

const inSubject = (subject: Subject | undefined): readonly string[] =>
  subject === undefined
    ? []
    : [
        ...(subject.identity === undefined ? [] : [subject.identity.name]),
        ...subject.labels.map(({ name }) => name),
        ...subject.properties.flatMap(inProperty),
      ];

const inProperty = ({ key, value }: Property): readonly string[] => [key, ...inValue(value)];

const inValue = (value: Value): readonly string[] => {
  switch (value.kind) {
    case "string":
      return [value.value];
    case "tagged":
      return [value.tag, value.value];
    case "symbol":
      return [value.name];
    case "boolean":
      return [String(value.value)];
    case "range":
      return [value.from, value.to].flatMap((each) => (each === undefined ? [] : [written(each)]));
    case "array":
      return value.items.flatMap(inValue);
    case "map":
      return value.entries.flatMap(({ key, value: held }) => [key, ...inValue(held)]);
    default:
      return [written(value)];
  }
};

const written = (value: NumberValue): string =>
  value.kind === "measurement" ? value.amount + value.unit : value.text;
