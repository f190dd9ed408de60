import { toPointer } from "../../json/to-pointer.ts";

/** Why a value that fits one schema may not fit the other. */
export interface IncompatibilityReason {
  /** JSON pointer into the value; `*` stands for any other item or member. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  /** `may be missing` in the narrow schema, `must be there` in the wide one. */
  readonly may: string;
  readonly must: string;
}

export interface ProofPosition {
  readonly pointer: string;
  readonly level: number;
  readonly most: number;
}

export const rootPosition: ProofPosition = Object.freeze({ pointer: "", level: 0, most: 20 });

export const childPosition = (at: ProofPosition, key: string | number): ProofPosition => ({
  pointer: at.pointer + toPointer([key]),
  level: at.level + 1,
  most: at.most,
});

/** For callers that need only yes or no. */
export const withoutExplanation = (at: ProofPosition): ProofPosition =>
  at.most === 1 ? at : { ...at, most: 1 };

export const reasonAt = (
  at: ProofPosition,
  keyword: string,
  may: string,
  must: string,
  verb: "be" | "have" | "fit" = "be",
): IncompatibilityReason => ({
  pointer: at.pointer,
  keyword,
  message: `${at.pointer === "" ? "the value" : at.pointer} may ${verb} ${may}, but must ${verb} ${must}`,
  may: `may ${verb} ${may}`,
  must: `must ${verb} ${must}`,
});

export const distinctReasons = (
  reasons: readonly IncompatibilityReason[],
  max: number,
): readonly IncompatibilityReason[] => {
  const found = new Map<string, IncompatibilityReason>();
  for (const reason of reasons) {
    const key = `${reason.pointer} ${reason.keyword}`;
    if (!found.has(key)) found.set(key, reason);
  }
  return [...found.values()].slice(0, max);
};
