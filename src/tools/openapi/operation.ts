import type { HttpMethod } from "../../base/http/http-egress.ts";
import type { ParameterStyle } from "../http/styles.ts";

/** An operation as its document describes it, for whoever selects some or says more about them. */
export interface OpenApiOperation {
  /** The document's `operationId`, if it has one. */
  readonly id?: string;
  readonly method: HttpMethod;
  /** As the document writes it, with `{names}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly deprecated: boolean;
}

/** A parameter in the words of OpenAPI 3, whichever version it was written in. */
export interface OpenApiParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  /** Foreign, not converted yet. */
  readonly schema: unknown;
  readonly pointer: string;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved: boolean;
  readonly allowEmpty: boolean;
  /** Written as JSON. */
  readonly json: boolean;
  readonly example?: unknown;
}

/** One of the ways in which a body may be written. */
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

/** What a service answers when all went well. */
export interface OpenApiResponse {
  /** Foreign, not converted yet. */
  readonly schema: unknown;
  readonly pointer: string;
}

/** Everything an operation says, with its references followed; schemas are left as they are. */
export interface ParsedOperation extends OpenApiOperation {
  /** `GET /pets/{id}`. */
  readonly label: string;
  readonly pointer: string;
  readonly description?: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly body?: OpenApiBody;
  readonly answers: readonly OpenApiResponse[];
  /** Sets of schemes, any one of which is enough. Undefined: the document asks for nothing. */
  readonly security?: readonly (readonly string[])[];
  /** URLs of servers, with their variables; the first that can be used is. */
  readonly servers: readonly unknown[];
}
