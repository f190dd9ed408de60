import type { Finding } from "@api/shared.ts";
import type { ComponentType } from "react";
import type { FieldShape, FormSchema } from "./form-schema.ts";

/** One value of a form: its place, what it may be, and what it is. */
export interface FieldProps {
  readonly name?: string;
  readonly schema: FormSchema | undefined;
  readonly root: FormSchema;
  readonly pointer: string;
  readonly value: unknown;
  /** With `undefined` it is left out. */
  readonly onChange: (value: unknown) => void;
  readonly findings: readonly Finding[];
  readonly isRequired?: boolean;
}

/** The same for the part that is typed into or chosen from. */
export interface InputProps extends FieldProps {
  readonly shape: FieldShape;
  readonly id: string;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  /** Shows the values below this one. */
  readonly Field: ComponentType<FieldProps>;
}
