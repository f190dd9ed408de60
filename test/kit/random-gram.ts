import fc from "fast-check";
import type {
  Annotated,
  ArrayValue,
  Arrow,
  Bracket,
  Comment,
  Comments,
  Element,
  GramDocument,
  Identity,
  Item,
  Label,
  MapValue,
  NumberValue,
  Path,
  PathNode,
  Property,
  Scalar,
  Subject,
  Value,
} from "../../src/tools/gram/document.ts";

type Draw<T> = fc.Arbitrary<T>;

const symbolName = fc.oneof(
  fc.constantFrom("a", "b", "x1", "true", "false", "null", "_", "sayHello", "a.b-c@d", "Tool"),
  fc.stringMatching(/^[A-Za-z_][0-9A-Za-z_.@-]{0,7}$/),
);
const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom("`", '"', "'", "\\", "\n", "\r", "\t", "\b", "/", "//", "{", "|", "x", " "),
    maxLength: 8,
  }),
  // Looks like a comment or a blank line at the start of a text.
  fc
    .tuple(
      fc.constantFrom("//", " //", "\t //", "\n", "\n\n", "\r\n", " \n//", "///"),
      fc.string({ maxLength: 6 }),
    )
    .map(([start, rest]) => start + rest),
);
const name = fc.oneof({ weight: 3, arbitrary: symbolName }, anyText);

const identity: Draw<Identity> = fc.oneof(
  { weight: 4, arbitrary: name.map((each): Identity => ({ kind: "name", name: each })) },
  fc.integer().map((each): Identity => ({ kind: "integer", name: String(each) })),
);

const comment: Draw<Comment> = fc
  .record({ text: fc.oneof(fc.constantFrom("", " c", "/ doc", " ] } )"), anyText), apart: fc.boolean() })
  .map(({ text, apart }) => {
    const line = text.replace(/[\r\n]/g, "").trimEnd();
    return apart ? { text: line, apart } : { text: line };
  });
const commentBehind = comment.map(({ text }): Comment => ({ text }));

type CommentPlaces = { readonly before?: boolean; readonly after?: boolean; readonly inside?: boolean };

/** The node with comments at the places where the reader attaches them; mostly none. */
const commented = <T extends object>(
  node: Draw<T>,
  places: CommentPlaces,
): Draw<T & { comments?: Comments }> => {
  const rare = <V>(allowed: boolean | undefined, draw: Draw<V>): Draw<V | undefined> =>
    allowed === true
      ? fc.option(draw, { nil: undefined, freq: 12 }).map((each) => each)
      : fc.constant(undefined);
  const some = fc.array(comment, { minLength: 1, maxLength: 2 });
  return fc
    .tuple(
      node,
      fc.nat(9),
      rare(places.before, some),
      rare(places.after, commentBehind),
      rare(places.inside, some),
    )
    .map(([drawn, luck, before, after, inside]) => {
      if (luck > 1) return drawn;
      const comments: Comments = {
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        ...(inside === undefined ? {} : { inside }),
      };
      return Object.keys(comments).length === 0 ? drawn : { ...drawn, comments };
    });
};

const digits = fc.integer().map(String);
const number: Draw<NumberValue> = fc.oneof(
  digits.map((text): NumberValue => ({ kind: "integer", text })),
  fc.bigInt().map((each): NumberValue => ({ kind: "integer", text: String(each) })),
  fc
    .tuple(digits, fc.stringMatching(/^[0-9]{1,5}$/))
    .map(([whole, part]): NumberValue => ({ kind: "decimal", text: `${whole}.${part}` })),
  fc
    .stringMatching(/^[0-9A-Fa-f]{1,6}$/)
    .map((each): NumberValue => ({ kind: "hexadecimal", text: `0x${each}` })),
  fc.stringMatching(/^[0-7]{1,5}$/).map((each): NumberValue => ({ kind: "octal", text: `0${each}` })),
  fc
    .tuple(digits, fc.stringMatching(/^[A-Za-z]{1,4}$/))
    .filter(([amount, unit]) => amount !== "0" || !/^x[a-f]+$/i.test(unit))
    .map(([amount, unit]): NumberValue => ({ kind: "measurement", amount, unit })),
);

const style = (value: string, fenced: boolean): "fenced" | "quoted" =>
  fenced && !value.includes("```") && !value.endsWith("`") && !/^\n|^\s*\/\/[^\n]*$/.test(value)
    ? "fenced"
    : "quoted";

const scalar: Draw<Scalar> = fc.oneof(
  number,
  fc
    .tuple(anyText, fc.boolean())
    .map(([value, fenced]): Scalar => ({ kind: "string", value, style: style(value, fenced) })),
  fc
    .tuple(symbolName, anyText, fc.boolean())
    .map(([tag, value, fenced]): Scalar => ({ kind: "tagged", tag, value, style: style(value, fenced) })),
  symbolName
    .filter((each) => each !== "true" && each !== "false")
    .map((each): Scalar => ({ kind: "symbol", name: each })),
  fc.boolean().map((value): Scalar => ({ kind: "boolean", value })),
  fc
    .tuple(number, number, fc.nat(2))
    .map(
      ([from, to, which]): Scalar =>
        which === 0
          ? { kind: "range", from, to }
          : which === 1
            ? { kind: "range", from }
            : { kind: "range", to },
    ),
);

const aroundPlaces = { before: true, after: true } as const;

const array: Draw<ArrayValue> = commented(
  fc
    .array(commented(scalar, aroundPlaces), { minLength: 1, maxLength: 4 })
    .map((items): ArrayValue => ({ kind: "array", items })),
  { inside: true },
);
const map: Draw<MapValue> = commented(
  fc
    .uniqueArray(commented(fc.record({ key: name, value: scalar }), aroundPlaces), {
      maxLength: 3,
      selector: ({ key }) => key,
    })
    .map((entries): MapValue => ({ kind: "map", entries })),
  { inside: true },
);
const value: Draw<Value> = fc.oneof({ weight: 5, arbitrary: scalar }, array, map);

const doubled = <T extends object>(draw: Draw<T>): Draw<T & { double?: true }> =>
  fc.tuple(draw, fc.boolean()).map(([each, double]) => (double ? { ...each, double } : each));

const label: Draw<Label> = doubled(fc.record({ name }));
const property: Draw<Property> = commented(doubled(fc.record({ key: name, value })), aroundPlaces);
const properties = fc.uniqueArray(property, { maxLength: 3, selector: ({ key }) => key });

const subject: Draw<Subject> = commented(
  fc
    .tuple(fc.option(identity, { nil: undefined }), fc.array(label, { maxLength: 2 }), properties)
    .map(([id, labels, list]) => ({
      ...(id === undefined ? {} : { identity: id }),
      labels,
      properties: list,
    })),
  { inside: true },
);
const hasContent = ({ identity: id, labels, properties: list, comments }: Subject): boolean =>
  id !== undefined || labels.length + list.length > 0 || comments !== undefined;

const node = (places: CommentPlaces): Draw<PathNode> =>
  commented(fc.record({ subject }), { ...places, inside: true });

const arrow: Draw<Arrow> = commented(
  fc
    .record({
      family: fc.constantFrom("-", "=", "~"),
      direction: fc.constantFrom("right", "left", "both", "none"),
      subject: fc.option(subject.filter(hasContent), { nil: undefined }),
    })
    .map(({ subject: inner, ...rest }) => (inner === undefined ? rest : { ...rest, subject: inner })),
  { before: true, inside: true },
);

const path: Draw<Path> = fc.nat(3).chain((hops) => {
  const nodes = Array.from({ length: hops + 1 }, (_, index) =>
    node({ before: index > 0, after: index < hops }),
  );
  return fc
    .tuple(fc.tuple(...nodes), fc.array(arrow, { minLength: hops, maxLength: hops }))
    .map(([list, arrows]): Path => ({ kind: "path", nodes: list, arrows }));
});

const bracketOf = (depth: number): Draw<Bracket> =>
  commented(
    fc
      .tuple(
        subject,
        fc.array(commented(elementOf(depth - 1), aroundPlaces), { maxLength: depth > 0 ? 3 : 0 }),
      )
      .map(([said, elements]): Bracket => ({ kind: "bracket", subject: said, elements })),
    { inside: true },
  );

const elementOf = (depth: number): Draw<Element> => {
  const reference: Draw<Element> = identity.map((id) => ({ kind: "reference", identity: id }));
  return depth <= 0 ? fc.oneof(reference, path) : fc.oneof(reference, path, bracketOf(depth));
};

const both = (draw: Draw<Element>, places: CommentPlaces): Draw<Bracket | Path> =>
  commented(draw as Draw<Bracket | Path>, places);

const annotated: Draw<Annotated> = fc
  .record({
    identity: fc.option(identity, { nil: undefined }),
    labels: fc.array(label, { maxLength: 2 }),
    properties: fc.uniqueArray(commented(fc.record({ key: symbolName, value }), aroundPlaces), {
      maxLength: 3,
      selector: ({ key }) => key,
    }),
    target: both(fc.oneof(path, bracketOf(1)), { before: true }),
  })
  .filter(({ identity: id, labels, properties: list }) => id !== undefined || labels.length + list.length > 0)
  .map(({ identity: id, labels, properties: list, target }): Annotated => {
    const head = id !== undefined || labels.length > 0;
    // A comment before the first annotation belongs to the item.
    const own = list.map((each, index) => (index > 0 || head ? each : withoutBefore(each)));
    return {
      kind: "annotated",
      subject: { ...(id === undefined ? {} : { identity: id }), labels, properties: own },
      target,
    };
  });

const withoutBefore = <T extends { comments?: Comments }>(item: T): T => {
  if (item.comments?.before === undefined) return item;
  const { comments, ...rest } = item;
  const { before: _, ...others } = comments;
  return (Object.keys(others).length === 0 ? rest : { ...rest, comments: others }) as T;
};

const item: Draw<Item> = fc
  .tuple(commented(fc.oneof<Draw<Item>[]>(path, bracketOf(3), annotated), aroundPlaces), fc.boolean())
  .map(([each, apart]) => (apart ? { ...each, apart } : each));

const header = commented(fc.record({ properties }), { before: true, after: true, inside: true });

/**
 * Documents as the reader creates them: every kind of value and item, and comments at every place that can
 * have one.
 */
export const randomGram: Draw<GramDocument> = fc
  .record({
    header: fc.option(header, { nil: undefined }),
    items: fc.array(item, { maxLength: 5 }),
    comments: fc.option(fc.array(comment, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
  })
  .map(({ header: first, items, comments }) =>
    withoutLeadingBlank({
      ...(first === undefined ? {} : { header: first }),
      items,
      ...(comments === undefined ? {} : { comments }),
    }),
  );

/** A text does not start with a blank line. */
const withoutLeadingBlank = (document: GramDocument): GramDocument => {
  const near = ({ apart: _, ...rest }: Comment): Comment => rest;
  const [first, ...others] = document.items;
  if (document.header !== undefined) return { ...document, header: nearFirst(document.header, near) };
  if (first !== undefined) {
    if (first.comments?.before !== undefined)
      return { ...document, items: [nearFirst(first, near), ...others] };
    const { apart: _, ...rest } = first;
    return { ...document, items: [rest as Item, ...others] };
  }
  const [lead, ...more] = document.comments ?? [];
  return lead === undefined ? document : { ...document, comments: [near(lead), ...more] };
};

const nearFirst = <T extends { comments?: Comments }>(holder: T, near: (comment: Comment) => Comment): T => {
  const [lead, ...more] = holder.comments?.before ?? [];
  return lead === undefined
    ? holder
    : { ...holder, comments: { ...holder.comments, before: [near(lead), ...more] } };
};
