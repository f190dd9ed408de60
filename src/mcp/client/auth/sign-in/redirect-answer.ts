/** What an authorization service sent back with the person, before anything of it is believed. */
export interface RedirectAnswer {
  readonly state: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
}

/** Nothing, where a field is there twice: whoever wrote the second hopes that another one is read. */
export const readRedirect = (fields: URLSearchParams): RedirectAnswer | undefined => {
  const found: Record<string, string> = {};
  for (const name of ["state", "code", "iss", "error"]) {
    const values = fields.getAll(name);
    if (values.length > 1) return undefined;
    if (values[0] !== undefined) found[name] = values[0];
  }
  return found.state === undefined ? undefined : (found as unknown as RedirectAnswer);
};
