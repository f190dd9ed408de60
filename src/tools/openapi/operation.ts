import type { HttpMethod } from "../../base/http/http-egress.ts";
import type { ParameterStyle } from "../http/styles.ts";

/** An operation, as passed to selection and override functions. */
export interface OpenApiOperation {
  /** The document's `operationId`, if it has one. */
  readonly id?: string;
  readonly method: HttpMethod;
  /** As in the document, with `{names}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly deprecated: boolean;
}

/** Normalized to OpenAPI 3. */
export interface OpenApiParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  /** Untrusted and not converted yet. */
  readonly schema: unknown;
  readonly pointer: string;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved: boolean;
  readonly allowEmpty: boolean;
  readonly json: boolean;
  readonly example?: unknown;
}

export interface OpenApiMedia {
  readonly type: string;
  readonly schema: unknown;
  readonly encoding: Readonly<Record<string, unknown>>;
  readonly pointer: string;
}

export interface OpenApiBody {
  readonly required: boolean;
  readonly description?: string;
  readonly media: readonly OpenApiMedia[];
  readonly pointer: string;
}

export interface OpenApiResponse {
  /** Untrusted and not converted yet. */
  readonly schema: unknown;
  readonly pointer: string;
}

/** References are resolved; schemas are not converted. */
export interface ParsedOperation extends OpenApiOperation {
  readonly label: string;
  readonly pointer: string;
  readonly description?: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly body?: OpenApiBody;
  readonly answers: readonly OpenApiResponse[];
  /** Alternatives. Undefined if none are required. */
  readonly security?: readonly (readonly string[])[];
  /** The first usable one is chosen. */
  readonly servers: readonly unknown[];
}
