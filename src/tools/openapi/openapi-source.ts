import type { OpenApiOptions } from "./from-openapi.ts";

/** A document whose operations are tools of a configuration, with the options of `fromOpenApi`. */
export interface OpenApiSource extends OpenApiOptions {
  /** A file in JSON or YAML, meant from the configuration's folder, or the parsed document. */
  readonly document: string | Readonly<Record<string, unknown>>;
}
