/** A schema that describes schemas. Each call of its factory returns a fresh copy, so that nothing else can change it. */
export interface Metaschema {
  readonly $id: string;
  readonly [keyword: string]: unknown;
}
