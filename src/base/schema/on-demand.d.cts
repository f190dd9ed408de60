/** The module `re2js`: an engine of regular expressions that never backtracks. */
export declare const loadRe2js: () => typeof import("re2js", { with: { "resolution-mode": "import" }});

/** Effect's own modules of schemas. Whoever holds an Effect Schema has loaded them already. */
export declare const loadEffectSchema: () => { readonly schema: unknown; readonly ast: unknown };

/** The metaschemas of each dialect as published at json-schema.org. Callers must not change them. */
export declare const loadMetaschemas: () => Readonly<
  Record<"draft-07" | "2020-12", readonly { readonly $id: string }[]>
>;
