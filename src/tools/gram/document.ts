/** Line and column count from 1, in UTF-16 units; offset counts from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export interface Comment {
  /** What follows the two slashes, space included; trailing space is not kept. */
  readonly text: string;
  /** A blank line stands before it. */
  readonly apart?: true;
  readonly at?: Position;
}

/** The comments a node carries with it wherever an edit moves it. */
export interface Comments {
  /** On lines of their own before it. */
  readonly before?: readonly Comment[];
  /** On its last line, behind it and its comma. */
  readonly after?: Comment;
  /** Before its closing bracket, behind its last part. */
  readonly inside?: readonly Comment[];
}

/** What every part that can be edited has. */
export interface Node {
  /** Absent in a node that was made rather than read. */
  readonly at?: Position;
  readonly comments?: Comments;
}

/** The whole text. Order is kept everywhere; nothing is lowered to patterns. */
export interface GramDocument {
  readonly header?: Record;
  readonly items: readonly Item[];
  /** What stands behind the last item. */
  readonly comments?: readonly Comment[];
}

/** The document's header. Elsewhere a record is the `properties` of a subject. */
export interface Record extends Node {
  readonly properties: readonly Property[];
}

export type Item = Annotated | Bracket | Path;
export type Element = Bracket | Path | Reference;

/** `@@identity:Label @key(value) target`: the subject's properties are the `@key(value)` in order. */
export interface Annotated extends Node {
  readonly kind: "annotated";
  readonly subject: Subject;
  readonly target: Bracket | Path;
  /** At top level: a blank line stands before it. */
  readonly apart?: true;
}

/** `[subject | element, element]` */
export interface Bracket extends Node {
  readonly kind: "bracket";
  readonly subject: Subject;
  readonly elements: readonly Element[];
  readonly apart?: true;
}

/** Nodes with the arrows between them: `arrows[i]` joins `nodes[i]` and `nodes[i + 1]`. */
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
  /** Absent for `-->` and for `-[]->`, which mean the same. */
  readonly subject?: Subject;
}

/** A bare identity among elements: defined elsewhere. */
export interface Reference extends Node {
  readonly kind: "reference";
  readonly identity: Identity;
}

export interface Subject {
  readonly identity?: Identity;
  readonly labels: readonly Label[];
  /** `{}` and no record at all are the same: an empty list. */
  readonly properties: readonly Property[];
  /** `inside` only: what stands before the closing brace of its record. */
  readonly comments?: Comments;
}

/** Same name, same identity: `` `a` `` is `a`, and `` `1` `` is `1`. The kind only says how it is written. */
export interface Identity {
  readonly kind: "name" | "integer";
  readonly name: string;
  readonly at?: Position;
}

export interface Label {
  readonly name: string;
  /** Written `::`, by convention a type. Means the same as `:`. */
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
/** Digits stay as text, so none is lost; `numberOf` makes a number of them. */
export type NumberValue = PlainNumber | Measurement;

export interface StringValue extends Node {
  readonly kind: "string";
  readonly value: string;
  /** Absent: the writer fences what has line breaks. A string that no fence can hold is quoted. */
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

/** `5kg`. A minus before a hexadecimal makes one too: `-0xFF` is -0 of the unit `xFF`. */
export interface Measurement extends Node {
  readonly kind: "measurement";
  readonly amount: string;
  readonly unit: string;
}

/** `1..2`, `1...` without an upper end, `...2` without a lower one. */
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
