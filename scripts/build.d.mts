export declare const buildIfStale: (root: string, run: () => number) => void
