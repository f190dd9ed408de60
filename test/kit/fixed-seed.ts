import fc from "fast-check";

/**
 * Property tests draw the same cases in everyday runs, so that `npm test` does not depend on chance. Soak
 * runs draw new cases. A failure prints its seed, and HAFT_SEED repeats it.
 */
const { HAFT_SEED: seedOption, HAFT_SOAK: soak } = process.env;
if (seedOption !== undefined) fc.configureGlobal({ seed: Number(seedOption) });
else if (soak === undefined) fc.configureGlobal({ seed: 20_261_116 });
