export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON Schema of any dialect. Without `$schema` it is read as draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Where a value breaks a promise, in words a model can act on. */
export interface Issue {
  /** JSON pointer into the value; "" is the whole of it. */
  readonly pointer: string;
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
}
