import type { ValidationIssue } from "@api/shared.ts";
import type { ComponentType } from "react";
import type { FieldShape, FormSchema } from "./form-schema.ts";

export interface FieldProps {
  readonly name?: string;
  readonly schema: FormSchema | undefined;
  readonly root: FormSchema;
  readonly pointer: string;
  readonly value: unknown;
  /** `undefined` omits the value. */
  readonly onChange: (value: unknown) => void;
  readonly findings: readonly ValidationIssue[];
  readonly isRequired?: boolean;
}

export interface InputProps extends FieldProps {
  readonly shape: FieldShape;
  readonly id: string;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  readonly Field: ComponentType<FieldProps>;
}
