/** The module `re2js`: an engine of regular expressions that never backtracks. */
export declare const loadRe2js: () => typeof import("re2js", { with: { "resolution-mode": "import" }});

/** The formats of JSON Schema by name, as `ajv-formats` has them. */
export declare const loadFormats: () => Readonly<Record<string, unknown>>;

/** Effect's own modules of schemas. Whoever holds an Effect Schema has loaded them already. */
export declare const loadEffectSchema: () => { readonly schema: unknown; readonly ast: unknown };

/** The schemas of the dialects themselves. */
export declare const loadDraft07: () => readonly { readonly $id: string }[];
export declare const loadDraft2020: () => readonly { readonly $id: string }[];
