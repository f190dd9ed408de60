/** Something that an OpenAPI document says and a tool does not carry, or says in another way. */
export interface OpenApiLoss {
  /** Method and path, such as `GET /pets/{id}`. Left out where it is about the document. */
  readonly operation?: string;
  /** Where it stands in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly what: string;
}

/** Names one loss. */
export type ReportLoss = (pointer: string, what: string) => void;

/** Losses in the order they are found. What several operations share is named once, with the first of them. */
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
