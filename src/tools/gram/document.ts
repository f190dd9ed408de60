/** Line and column count from 1 in UTF-16 units, offset from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export interface Comment {
  /** Includes leading space. */
  readonly text: string;
  /** Preceded by a blank line. */
  readonly apart?: true;
  readonly at?: Position;
}

/** Comments that move with their node. */
export interface Comments {
  /** On separate lines before the node. */
  readonly before?: readonly Comment[];
  /** On the node's last line, after its comma. */
  readonly after?: Comment;
  /** Before the closing bracket. */
  readonly inside?: readonly Comment[];
}

export interface Node {
  /** Absent in generated nodes. */
  readonly at?: Position;
  readonly comments?: Comments;
}

export interface GramDocument {
  readonly header?: Record;
  readonly items: readonly Item[];
  readonly comments?: readonly Comment[];
}

/** The document's header; elsewhere a record is the `properties` of a subject. */
export interface Record extends Node {
  readonly properties: readonly Property[];
}

export type Item = Annotated | Bracket | Path;
export type Element = Bracket | Path | Reference;

/** `@@identity:Label @key(value) target` */
export interface Annotated extends Node {
  readonly kind: "annotated";
  readonly subject: Subject;
  readonly target: Bracket | Path;
  readonly apart?: true;
}

export interface Bracket extends Node {
  readonly kind: "bracket";
  readonly subject: Subject;
  readonly elements: readonly Element[];
  readonly apart?: true;
}

/** `arrows[i]` joins `nodes[i]` and `nodes[i + 1]`. */
export interface Path extends Node {
  readonly kind: "path";
  readonly nodes: readonly PathNode[];
  readonly arrows: readonly Arrow[];
  readonly apart?: true;
}

export interface PathNode extends Node {
  readonly subject: Subject;
}

export interface Arrow extends Node {
  readonly family: "-" | "=" | "~";
  readonly direction: "right" | "left" | "both" | "none";
  /** Absent for `-->` and the equivalent `-[]->`. */
  readonly subject?: Subject;
}

/** Defined elsewhere. */
export interface Reference extends Node {
  readonly kind: "reference";
  readonly identity: Identity;
}

export interface Subject {
  readonly identity?: Identity;
  readonly labels: readonly Label[];
  /** Empty for both `{}` and no record. */
  readonly properties: readonly Property[];
  /** Only `inside`. */
  readonly comments?: Comments;
}

/** Equal if the names are: `` `1` `` is `1`. The kind only affects writing. */
export interface Identity {
  readonly kind: "name" | "integer";
  readonly name: string;
  readonly at?: Position;
}

export interface Label {
  readonly name: string;
  /** Written as `::`, which equals `:`. */
  readonly double?: true;
  readonly at?: Position;
}

export interface Property extends Node {
  readonly key: string;
  readonly double?: true;
  readonly value: Value;
}

export type Value = Scalar | ArrayValue | MapValue;
export type Scalar = StringValue | TaggedValue | SymbolValue | BooleanValue | NumberValue | RangeValue;
/** Digits are kept as text, so that none are lost. */
export type NumberValue = PlainNumber | Measurement;

export interface StringValue extends Node {
  readonly kind: "string";
  readonly value: string;
  /** If absent, texts with line breaks are fenced where possible. */
  readonly style?: "quoted" | "fenced";
}

export interface TaggedValue extends Node {
  readonly kind: "tagged";
  readonly tag: string;
  readonly value: string;
  readonly style?: "quoted" | "fenced";
}

export interface SymbolValue extends Node {
  readonly kind: "symbol";
  readonly name: string;
}

export interface BooleanValue extends Node {
  readonly kind: "boolean";
  readonly value: boolean;
}

export interface PlainNumber extends Node {
  readonly kind: "integer" | "decimal" | "hexadecimal" | "octal";
  /** As written: `-5`, `1.50`, `0xFF`, `007`. */
  readonly text: string;
}

/** `5kg`, and also `-0xFF`, which is -0 of the unit `xFF`. */
export interface Measurement extends Node {
  readonly kind: "measurement";
  readonly amount: string;
  readonly unit: string;
}

/** `1..2`, `1...` or `...2`. */
export interface RangeValue extends Node {
  readonly kind: "range";
  readonly from?: NumberValue;
  readonly to?: NumberValue;
}

/** Never empty: gram has no empty array. */
export interface ArrayValue extends Node {
  readonly kind: "array";
  readonly items: readonly Scalar[];
}

export interface MapValue extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface MapEntry extends Node {
  readonly key: string;
  readonly value: Scalar;
}
