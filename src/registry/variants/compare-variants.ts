import { canonicalJson } from "../../base/json/canonical-json.ts";
import { isOutcome } from "../../types/outcome.ts";

export interface VariantResult {
  readonly variant: string;
  readonly durationMs: number;
  readonly ok: boolean;
  readonly value?: unknown;
  readonly error?: string;
}

export interface VariantComparison {
  readonly callId: string;
  readonly tool: string;
  readonly equal: boolean;
  readonly answer: VariantResult;
  readonly compared: VariantResult;
}

export interface VariantExit {
  readonly variant: string;
  readonly durationMs: number;
  readonly exit:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: unknown };
}

export const compareVariants = (
  callId: string,
  tool: string,
  one: VariantExit,
  other: VariantExit,
  isEqual: ((answer: unknown, compared: unknown) => boolean) | undefined,
): VariantComparison => {
  const answer = toVariantResult(one);
  const compared = toVariantResult(other);
  const equal =
    answer.ok && compared.ok
      ? (isEqual ?? isSameJson)(answer.value, compared.value)
      : answer.ok === compared.ok;
  return Object.freeze({ callId, tool, equal, answer, compared });
};

const toVariantResult = ({ variant, durationMs, exit }: VariantExit): VariantResult => {
  const common = { variant, durationMs };
  if (!exit.ok) return { ...common, ok: false, error: messageOf(exit.error) };
  const { value } = exit;
  if (!isOutcome(value)) return { ...common, ok: true, value };
  if (value._tag === "value") return { ...common, ok: true, value: value.value };
  const error = value._tag === "failure" ? value.failure.message : "it is pending approval";
  return { ...common, ok: false, error };
};

const messageOf = (error: unknown): string => {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : String(error);
};

const isSameJson = (one: unknown, other: unknown): boolean => {
  try {
    return toText(one) === toText(other);
  } catch {
    return false;
  }
};

const toText = (value: unknown): string => canonicalJson(JSON.parse(JSON.stringify(value) ?? "null"));
