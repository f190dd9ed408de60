/** The folder of this file: beside the worker's in the sources, `dist/chunks` in the package, any other in a bundle. */
export declare const here: string | undefined;
