import type {
  Element,
  GramDocument,
  Item,
  NumberValue,
  Property,
  Subject,
  Value,
} from "../../src/tools/gram/document.ts";

/** Every name and plain value of a document, in the order in which they are written. */
export const gramTextsOf = ({ header, items }: GramDocument): readonly string[] => [
  ...(header?.properties ?? []).flatMap(propertyTexts),
  ...items.flatMap(itemTexts),
];

const itemTexts = (item: Item | Element): readonly string[] => {
  switch (item.kind) {
    case "reference":
      return [item.identity.name];
    case "bracket":
      return [...subjectTexts(item.subject), ...item.elements.flatMap(itemTexts)];
    case "annotated":
      return [...subjectTexts(item.subject), ...itemTexts(item.target)];
    case "path":
      return item.nodes.flatMap(({ subject }, index) => [
        ...subjectTexts(item.arrows[index - 1]?.subject),
        ...subjectTexts(subject),
      ]);
  }
};

const subjectTexts = (subject: Subject | undefined): readonly string[] =>
  subject === undefined
    ? []
    : [
        ...(subject.identity === undefined ? [] : [subject.identity.name]),
        ...subject.labels.map(({ name }) => name),
        ...subject.properties.flatMap(propertyTexts),
      ];

const propertyTexts = ({ key, value }: Property): readonly string[] => [key, ...valueTexts(value)];

const valueTexts = (value: Value): readonly string[] => {
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
      return [value.from, value.to].flatMap((each) => (each === undefined ? [] : [numberText(each)]));
    case "array":
      return value.items.flatMap(valueTexts);
    case "map":
      return value.entries.flatMap(({ key, value: held }) => [key, ...valueTexts(held)]);
    default:
      return [numberText(value)];
  }
};

const numberText = (value: NumberValue): string =>
  value.kind === "measurement" ? value.amount + value.unit : value.text;
