export interface RedirectAnswer {
  readonly state: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
}

/** Rejects duplicate fields, because parsers disagree about which one counts. */
export const readRedirect = (fields: URLSearchParams): RedirectAnswer | undefined => {
  const found: Record<string, string> = {};
  for (const name of ["state", "code", "iss", "error"]) {
    const values = fields.getAll(name);
    if (values.length > 1) return undefined;
    if (values[0] !== undefined) found[name] = values[0];
  }
  return found.state === undefined ? undefined : (found as unknown as RedirectAnswer);
};
