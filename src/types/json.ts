export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON Schema of any dialect. Without `$schema` it is read as draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A validation issue, written for models. */
export interface Issue {
  /** JSON pointer into the value; "" is the root. */
  readonly pointer: string;
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
}
