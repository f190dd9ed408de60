/** The module `re2js`: an engine of regular expressions that never backtracks. */
export declare const loadRe2js: () => typeof import("re2js", { with: { "resolution-mode": "import" }});

/** Effect's own modules of schemas. Whoever holds an Effect Schema has loaded them already. */
export declare const loadEffectSchema: () => { readonly schema: unknown; readonly ast: unknown };
