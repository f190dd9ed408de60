/** The file that workers of this engine run, or undefined in a program that was bundled without it. */
export declare const findWorkerFile: () => string | undefined;
