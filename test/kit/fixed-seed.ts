import fc from "fast-check";

/**
 * Property tests draw the same cases in every everyday run, so that a first `npm test` depends on no chance. The long
 * runs draw new ones; a failure names its seed, and HAFT_SEED draws it again.
 */
const { HAFT_SEED: seedOption, HAFT_SOAK: soak } = process.env;
if (seedOption !== undefined) fc.configureGlobal({ seed: Number(seedOption) });
else if (soak === undefined) fc.configureGlobal({ seed: 20_261_116 });
