/** A part of an OpenAPI document that a tool does not carry, or carries differently. */
export interface OpenApiLoss {
  /** Method and path, such as `GET /pets/{id}`. Absent if the loss concerns the document. */
  readonly operation?: string;
  /** The location in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly what: string;
}

export type ReportLoss = (pointer: string, what: string) => void;

/** A loss shared by several operations is reported once. */
export interface LossCollector {
  readonly note: (loss: OpenApiLoss) => void;
  readonly of: (operation: string) => ReportLoss;
  readonly all: () => readonly OpenApiLoss[];
}

export const lossCollector = (): LossCollector => {
  const found = new Map<string, OpenApiLoss>();
  const note = (loss: OpenApiLoss): void => {
    const key = `${loss.pointer} ${loss.what}`;
    if (!found.has(key)) found.set(key, Object.freeze(loss));
  };
  return {
    note,
    of: (operation) => (pointer, what) => note({ operation, pointer, what }),
    all: () => Object.freeze([...found.values()]),
  };
};
