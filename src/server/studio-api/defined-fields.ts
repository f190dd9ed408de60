type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined | null> };

export const definedFields = <T extends object>(fields: T): DefinedFields<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as DefinedFields<T>;
