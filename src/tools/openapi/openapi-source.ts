import type { OpenApiOptions } from "./from-openapi.ts";

/** An OpenAPI document in a configuration, with the options of `fromOpenApi`. */
export interface OpenApiSource extends OpenApiOptions {
  /** A JSON or YAML file relative to the configuration, or the parsed document. */
  readonly document: string | Readonly<Record<string, unknown>>;
}
